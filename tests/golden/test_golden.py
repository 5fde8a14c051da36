"""What a user can see of Remanent is what the golden files say. A difference is a bug, or a line in
CHANGELOG that says why it is better: then `python -m tests.golden.write` writes them anew."""

import pytest
from golden_faces import FILES, GOLDEN

pytestmark = pytest.mark.quick

LIFE = "demo.json"  # test_demo lives it


@pytest.mark.parametrize("name", sorted(GOLDEN.keys() - {LIFE}))
def test_nothing_a_user_sees_has_changed(name: str) -> None:
    kept = (FILES / name).read_text("utf-8").splitlines()

    assert GOLDEN[name]().splitlines() == kept


def test_every_golden_file_is_compared() -> None:
    assert {path.name for path in FILES.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_no_golden_file_names_a_module(name: str) -> None:
    text = (FILES / name).read_text("utf-8")

    for folder in ("verbs", "model", "rules", "ports", "stores", "surfaces", "core"):
        assert f"remanent.{folder}." not in text
        assert f"remanent__{folder}__" not in text
