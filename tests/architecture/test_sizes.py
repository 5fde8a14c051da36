"""Small files stay small. An exception needs a reason here."""

from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for home in ("src", "conformance/src", "integrations")
    for path in ROOT.glob(f"{home}/**/*.py")
)
MOST_LINES = 500
EXCEPTIONS: dict[str, str] = {}


def test_no_file_is_too_long() -> None:
    lines = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in FILES
    }

    assert {one for one, count in lines.items() if count > MOST_LINES} == EXCEPTIONS.keys()


MOST_MODULES = 30


def test_no_folder_is_a_heap() -> None:
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in FILES)

    assert not [folder for folder, count in counts.items() if count > MOST_MODULES]
