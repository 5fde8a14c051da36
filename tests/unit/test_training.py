"""What training relies on and torch is not needed for: labels, spans, archives and scores."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from training import check, crossed, labels, nodes, planes, scoring, tasks, variety

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("surface", "kind", "core"),
    [
        ("my son Kreeson", "person", "Kreeson"),
        ("My brother-in-law", "person", "brother-in-law"),
        ("a cousin in Almagro", "person", "cousin in Almagro"),
        ("Uncle Faizel", "person", "Uncle Faizel"),
        ("since 2019", "date", "2019"),
        ("this week", "date", "this week"),
        ("the", "concept", "the"),
    ],
)
def test_the_core_of_a_mention_is_what_authors_agree_on(surface: str, kind: str, core: str) -> None:
    assert surface[tasks.lead(surface, kind) :] == core


def test_the_role_before_a_name_is_found() -> None:
    assert tasks.role_of("my best friend Tom") == (3, 14)
    assert tasks.role_of("Tom") is None


@pytest.mark.parametrize(
    ("words", "told_of", "expected"),
    [
        ("works at", "Stripe", labels.Relation("works at")),
        ("mother of", "the baby", labels.Relation("parent", flip=True)),
        ("mother", "the baby", labels.Relation("parent", flip=True)),
        ("mother", "my mother", labels.Relation("parent")),
        ("son", "Ruth", labels.Relation("parent")),
        ("ex-wife of", "Tom", labels.Relation("partner", flip=True, over=True)),
        ("editor of", "me", labels.Relation("served by", flip=True)),
        ("juggles", "Tom", labels.Relation("other")),
    ],
)
def test_open_words_of_a_relation_fall_into_a_class(
    words: str, told_of: str, expected: labels.Relation
) -> None:
    assert labels.relation(words, told_of=told_of) == expected


@pytest.mark.parametrize("in_parts", [False, True])
def test_an_archive_gives_back_what_was_put_in(tmp_path: Path, *, in_parts: bool) -> None:
    held = {
        "floats": np.array([[0.5, -2.0], [1024.0, 0.0]], np.float32),
        "bytes": np.arange(-3, 3, dtype=np.int8).reshape(2, 3),
    }
    planes.write(tmp_path / "a.planes", held, in_parts=in_parts)
    found = planes.read(tmp_path / "a.planes")
    assert found.keys() == held.keys()
    for name, array in held.items():
        assert np.array_equal(found[name], array)


def test_a_row_is_told_again_with_other_names_everywhere() -> None:
    row = {
        "text": "Priya moved to Oslo. Tell Priya.",
        "mentions": [["Priya", "person"], ["Oslo", "location"]],
        "facts": [{"q": "Priya moved to Oslo", "s": "Priya moved to Oslo", "who": "Priya"}],
    }
    pools = {"person": ["Ngozi"], "organization": ["Acme"], "location": ["Lima"]}
    again = variety.renamed(row, pools, random.Random(1))
    assert "Priya" not in str(again)
    assert again["facts"][0]["who"] == "Ngozi"
    assert again["text"].startswith("Ngozi moved to ")


def test_the_judge_acts_only_when_sure_and_wrong_updates_are_counted() -> None:
    logits = np.array(
        [[5.0, 0, 0, 0, 0], [1.0, 0, 0, 0.9, 0], [0, 2.0, 2.0, 0, 0], [6.0, 0, 0, 0, 0]]
    )
    done = scoring.acts(logits, 1.0, 0.8, 0.6)
    assert done == ["update", "beside", "same", "update"]
    found = scoring.judge_measures(["update", "beside", "refine", "unrelated"], done)
    assert found["update"] == found["same"] == 100
    assert found["beside"] == found["wrong updates"] == 50


def test_a_statement_counts_as_found_when_half_of_it_is_shared() -> None:
    assert scoring.dice((0, 4), (2, 6)) == 0.5
    assert scoring.alike("Coach Ferney", "Ferney")
    assert not scoring.alike("Ferney", "")


DATA = Path(tasks.__file__).parent / "data"


def test_the_messages_are_many_and_half_of_each_split_needs_memory() -> None:
    held = {split: tasks.messages(DATA, split) for split in ("train", "dev", "test")}
    least = {"train": 300, "dev": 80, "test": 100}
    for split, rows in held.items():
        assert len(rows) >= least[split]
        assert 0.45 <= sum(row["needs"] for row in rows) / len(rows) <= 0.55
    texts = [{row["text"].lower() for row in rows} for rows in held.values()]
    assert len(texts[0] | texts[1] | texts[2]) == sum(map(len, texts)), "one stands in two splits"


def test_the_checker_knows_messages(tmp_path: Path) -> None:
    path = tmp_path / "messages" / "m.jsonl"
    path.parent.mkdir()
    good = '{"text": "what about sarah?", "needs": true, "before": ["Where does Tom live?"]}'
    path.write_text(f'{good}\n{{"text": "", "needs": true}}\n{{"text": "hi", "needs": "no"}}\n')
    report = check.Report(path)
    check.read(path, report)
    assert [error.split(": ")[0] for error in report.errors] == ["m.jsonl:2", "m.jsonl:3"]


def test_int8_with_its_scales_comes_back_as_floats(tmp_path: Path) -> None:
    held = {"w": np.array([[2, -4]], np.int8), "w.scale": np.array([[0.5]], np.float32)}
    planes.write(tmp_path / "a.planes", held)
    found = planes.read(tmp_path / "a.planes")
    assert found.keys() == {"w"}
    assert found["w"].tolist() == [[1.0, -2.0]]


def test_a_role_states_a_tie_that_its_author_left_out() -> None:
    tok = tasks.tokenizer(Path("src/remanent/weights/tokenizer.json"))
    row = {
        "owner": "Ada",
        "text": "my mum rang, my daughter sang, my sister left",
        "mentions": [["mum", "person"], ["daughter", "person"], ["sister", "person"]],
        "rels": [["sister", "owner", "sister of"]],
    }
    found = {(a, b, name) for _, a, b, name, _ in tasks.source(row, "b", tok).relations}
    assert found == {
        ("owner", "mum", "parent"),
        ("daughter", "owner", "parent"),
        ("owner", "sister", "sibling"),
    }


def test_of_the_words_for_an_end_one_is_always_left() -> None:
    edge = nodes.Edge(0, "a", "b", ((1, 2), (3, 4)), ((5, 6),))
    thin = [nodes.thinned(edge, random.Random(seed)) for seed in range(20)]
    assert {one.spans_b for one in thin} == {((5, 6),)}
    assert {len(one.spans_a) for one in thin} == {1, 2}


def test_a_sentence_alone_states_no_tie_that_another_may_have_told() -> None:
    facts = [{"q": words, "s": words, "who": "Dani", "k": "fact"} for words in ("Dani came", "Tom")]
    row = {
        "owner": "Ann",
        "text": "Dani came. Dani is my wife. Tom works at Acme.",
        "rels": [["Dani", "owner", "wife of"], ["Tom", "Acme", "works at"]],
        "facts": facts,
    }
    came, works = variety.alone(row, random.Random(1))
    assert came["rels"] == [[0, "Dani", "owner", "wife of", {"elsewhere": True}]]
    assert works["rels"] == [[0, "Tom", "Acme", "works at", {}]]


def test_a_belief_of_another_area_is_told_of_whom_the_news_is_about() -> None:
    folder = Path("training/data")
    beliefs = crossed.Beliefs(folder, {"Elif", "Noor"})
    rng = random.Random(1)
    other = beliefs.other(tasks.Pair("Elif is a nurse.", "Elif moved on.", "update", "x"), rng)
    assert other is not None
    assert beliefs.subject(other) == "Elif"
    shop = tasks.Pair("The shop is shut.", "It moved.", "update", "x")
    assert beliefs.other(shop, rng) is None


def test_statements_of_one_note_are_about_one_subject(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "briefs").mkdir()
    said = [("Ada", "Ada swims"), ("Ada", "Ada is six"), ("owner", "I am late")]
    facts = [{"who": who, "s": s, "k": "fact", "q": s} for who, s in said]
    (tmp_path / "notes/n.jsonl").write_text(json.dumps({"id": "n-1", "facts": facts}) + "\n")
    assert crossed.of_one_note(tmp_path) == [("Ada swims", "Ada is six")]
