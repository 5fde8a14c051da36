"""`python -m tests.golden.write [FILE ...]`: write the golden files anew, all or those that are named.

A difference from what was there is a bug, or a line in CHANGELOG that says why it is better.
"""

import sys

from tests.golden.golden_faces import FILES, GOLDEN


def main(names: list[str]) -> int:
    """Write them and say which have changed."""
    unknown = set(names) - GOLDEN.keys()
    if unknown:
        print(f"no golden file is called {', '.join(sorted(unknown))}; known: {', '.join(GOLDEN)}")
        return 2
    FILES.mkdir(exist_ok=True)
    for name in names or GOLDEN:
        text = GOLDEN[name]() + "\n"
        path = FILES / name
        same = path.exists() and path.read_text("utf-8") == text
        path.write_text(text, "utf-8")
        print(f"{name}: {'as before' if same else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
