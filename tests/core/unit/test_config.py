"""Settings: where they come from, and what is said of a wrong one."""

from pathlib import Path

import pytest

from remanent.config import Config, load_config
from remanent.errors import ConfigError
from remanent.spending.rules import Price

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_defaults(tmp_path: Path) -> None:
    config = load_config(environ={"XDG_DATA_HOME": str(tmp_path)})

    assert config == Config(memory=str(tmp_path / "remanent" / "memory.db"))


def test_home_is_used_without_a_data_folder() -> None:
    assert load_config(environ={}).memory.endswith("remanent/memory.db")


def test_the_argument_beats_the_environment_and_that_the_file(tmp_path: Path) -> None:
    toml = 'memory = "file.db"\nmind = "offline"\n[belief]\nreinforce_above = 0.9\n'
    (tmp_path / "remanent.toml").write_text(toml)

    assert load_config(environ={}).memory == "file.db"
    assert load_config(environ={"REMANENT_MEMORY": "env.db"}).memory == "env.db"
    assert load_config("arg.db", environ={"REMANENT_MEMORY": "env.db"}).memory == "arg.db"
    assert load_config(environ={}).belief.reinforce_above == 0.9
    env = {"REMANENT_BELIEF__REINFORCE_ABOVE": "0.8", "REMANENT_JOBS__MAX_ATTEMPTS": "2"}
    assert load_config(environ=env).belief.reinforce_above == 0.8
    assert load_config(environ=env).jobs.max_attempts == 2


def test_a_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('memory = "x.db"')

    assert load_config(environ={"REMANENT_CONFIG": "other.toml"}).memory == "x.db"
    with pytest.raises(ConfigError, match="no file"):
        load_config(environ={"REMANENT_CONFIG": "missing.toml"})


def test_home_may_be_a_tilde() -> None:
    assert load_config("~/m.db", environ={}).memory == str(Path("~/m.db").expanduser())
    assert load_config(":memory:", environ={}).memory == ":memory:"


@pytest.mark.parametrize(
    ("environ", "field"),
    [
        ({"REMANENT_MEMROY": "x"}, "memroy"),
        ({"REMANENT_BELIEF__NOTHING": "1"}, "nothing"),
        ({"REMANENT_BELIEF__REINFORCE_ABOVE": "much"}, "reinforce_above"),
        ({"REMANENT_BELIEF__REINFORCE_ABOVE": "-1"}, "reinforce_above"),
        ({"REMANENT_BELIEF__REINFORCE_ABOVE": "inf"}, "reinforce_above"),
        ({"REMANENT_BELIEF": "1"}, "belief"),
        ({"REMANENT_RANKING__EVENT_RECENCY": "1"}, "event_recency"),
        ({"REMANENT_PRICES": "much"}, "prices"),
        ({"REMANENT_PRICES": "[1]"}, "prices"),
        ({"REMANENT_PRICES": '{"openai:x": 1}'}, "prices.openai:x"),
        ({"REMANENT_PRICES": '{"openai:x": [1]}'}, "prices.openai:x"),
        ({"REMANENT_PRICES": '{"openai:x": [1, -1]}'}, "prices.openai:x"),
        ({"REMANENT_PRICES": '{"openai:x": [1, true]}'}, "prices.openai:x"),
        ({"REMANENT_PRICES": '{"x": [1, 1]}'}, "prices.x"),
    ],
)
def test_a_wrong_setting_is_named(environ: dict[str, str], field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(environ=environ)

    assert caught.value.field == field


@pytest.mark.parametrize(
    "toml", ["memory = 7", "[intake]\nmax_characters = true", "not toml", "x = 1"]
)
def test_a_wrong_file_is_an_error(tmp_path: Path, toml: str) -> None:
    (tmp_path / "remanent.toml").write_text(toml)

    with pytest.raises(ConfigError):
        load_config(environ={})


def test_a_file_with_a_setting_that_is_gone_is_told_which_and_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "remanent.toml").write_text("[ranking]\naffinity_session = 1.0\n")

    with pytest.raises(
        ConfigError, match=r"affinity_session: unknown \(in remanent.toml\)"
    ) as told:
        load_config(environ={})

    assert "session_dense" in str(told.value)


def test_names_of_the_surfaces_are_no_settings() -> None:
    environ = {"REMANENT_USER": "ada", "REMANENT_DEBUG": "1", "REMANENT_TEST_REDIS": "redis://"}

    assert load_config("x.db", environ=environ) == Config(memory="x.db")


def test_prices_are_a_section_of_models(tmp_path: Path) -> None:
    (tmp_path / "remanent.toml").write_text(
        '[prices]\n"openai:one" = [1, 2.5]\n"openai:two" = [3, 4]\n[budget]\nusd_per_day = 0.5\n'
    )
    environ = {"REMANENT_PRICES": '{"openai:two": [0, 0]}'}
    config = load_config(environ=environ)

    assert config.prices == {"openai:one": Price(1.0, 2.5), "openai:two": Price(0.0, 0.0)}
    assert config.budget.usd_per_day == 0.5
