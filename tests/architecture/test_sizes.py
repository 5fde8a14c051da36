"""Small files stay small. An exception needs a reason here."""

from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "remanent"
MOST_LINES = 500
EXCEPTIONS: dict[str, str] = {}


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_no_file_is_too_long(path: Path) -> None:
    if str(path.relative_to(SOURCE)) in EXCEPTIONS:
        return

    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES
