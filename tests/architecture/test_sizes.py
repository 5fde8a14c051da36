"""Small files stay small. An exception needs a reason here."""

from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("conformance/src/**/*.py")])
MOST_LINES = 500
EXCEPTIONS: dict[str, str] = {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(path: Path) -> None:
    if str(path.relative_to(ROOT)) in EXCEPTIONS:
        return

    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


CROWDED = {
    "conformance/src/remanent_conformance": "one suite a part of a port, until ports are narrower",
}
MOST_MODULES = 30


def test_no_folder_is_a_heap() -> None:
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in FILES)
    crowded = {folder for folder, count in counts.items() if count > MOST_MODULES}

    assert crowded == CROWDED.keys()
