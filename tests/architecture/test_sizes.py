"""Small files stay small. An exception needs a reason here."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("conformance/src/**/*.py")])
MOST_LINES = 500
EXCEPTIONS: dict[str, str] = {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(path: Path) -> None:
    if str(path.relative_to(ROOT)) in EXCEPTIONS:
        return

    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES
