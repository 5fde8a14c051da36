"""The built-in embedder with its real weights."""

import threading
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.core.ports.embedder import TextKind
from remanent.embedders.builtin import BuiltinEmbedder

KNOWN: dict[TextKind, list[float]] = {
    "question": [-0.0051, 0.0569, 0.0541, 0.007],
    "passage": [-0.0152, 0.0824, 0.0349, 0.006],
    "statement": [-0.0202, 0.0571, 0.0653, -0.0005],
}
TEXTS = [
    "I live in Oslo",
    "My home is in Oslo",
    "I bake bread on Sundays",
    "Yes.",
    "",
    "We met at the station, missed the last train and walked home through the rain, laughing.",
    "The quick brown fox jumps over the lazy dog " * 8,
]


@pytest.fixture(scope="module")
def embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()


def test_every_text_gets_a_unit_vector_in_order(embedder: BuiltinEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions) == (7, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_vectors(embedder: BuiltinEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_known_vectors(embedder: BuiltinEmbedder) -> None:
    """Four numbers of each kind, as the weights gave them when they were exported; processors round
    int8 sums a little otherwise."""
    found = {kind: embedder.embed(["I live in Oslo"], kind=kind)[0, :4] for kind in KNOWN}
    for kind, numbers in KNOWN.items():
        np.testing.assert_allclose(found[kind], numbers, atol=2e-3)


def test_kinds_of_text_differ(embedder: BuiltinEmbedder) -> None:
    question, passage, statement = (embedder.embed(["I live in Oslo"], kind=k)[0] for k in KNOWN)
    assert np.array_equal(passage, embedder.embed(["I live in Oslo"])[0])
    for one, other in ((question, passage), (question, statement), (passage, statement)):
        assert 0.7 < one @ other < 0.99


def test_a_vector_does_not_depend_on_its_batch(embedder: BuiltinEmbedder) -> None:
    together = embedder.embed(TEXTS * 30)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (30, 1)), atol=1e-6)


def test_a_vector_does_not_depend_on_the_order(embedder: BuiltinEmbedder) -> None:
    forwards = embedder.embed(TEXTS)
    np.testing.assert_allclose(embedder.embed(TEXTS[::-1])[::-1], forwards, atol=1e-6)


def test_the_same_call_gives_the_same_bits(embedder: BuiltinEmbedder) -> None:
    assert np.array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_threads_share_one_embedder_from_its_first_call() -> None:
    shared = BuiltinEmbedder()
    start = threading.Barrier(4)
    found: dict[int, NDArray[np.float32]] = {}

    def work(number: int) -> None:
        start.wait()
        found[number] = shared.embed(TEXTS)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for vectors in found.values():
        np.testing.assert_allclose(vectors, shared.embed(TEXTS), atol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t ", id="blank"),
        pytest.param("a\0b\0", id="NUL"),
        pytest.param("Fête 🎉 with 👩‍👩‍👧 in 東京", id="emoji"),
        pytest.param("half an emoji \ud83d", id="lone surrogate"),
        pytest.param("x" * 200_000, id="one long word"),
        pytest.param("word " * 50_000, id="very long"),
    ],
)
def test_any_string_has_a_vector(embedder: BuiltinEmbedder, text: str) -> None:
    vector = embedder.embed([text])[0]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_only_the_beginning_of_a_long_text_counts(embedder: BuiltinEmbedder) -> None:
    beginning = "I planted tomatoes in the garden. " * 120
    first, second = embedder.embed(
        [beginning + "Then it rained.", beginning + "My car broke down."]
    )
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_markers_in_a_text_are_plain_text(embedder: BuiltinEmbedder) -> None:
    plain, marked = embedder.embed(["a b", "a [SEP] b"])
    assert not np.allclose(plain, marked, atol=1e-3)


@pytest.mark.parametrize(
    ("statement", "near", "far"),
    [
        ("I live in Oslo", "My home is in Oslo", "I bake bread on Sundays"),
        ("I live in Oslo", "I live in Bergen", "I bake bread on Sundays"),
        ("What is my dog called?", "My dog's name is Rex", "I drive a Toyota"),
        ("She quit her job", "She resigned from her position", "She painted the fence"),
        ("I can't stand jazz", "I hate jazz", "I have two children"),
    ],
)
def test_vectors_carry_meaning(
    embedder: BuiltinEmbedder, statement: str, near: str, far: str
) -> None:
    one, other, third = embedder.embed([statement, near, far])
    assert one @ other > one @ third + 0.05


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("What is my dog called?", "My dog's name is Rex", "What is my sister called?"),
        ("Where does Ada work now?", "Ada joined Stripe in March.", "Where does Tom live now?"),
        ("When is the dentist?", "Dental check-up on Friday at nine", "When does the shop open?"),
    ],
)
def test_a_question_is_nearer_to_its_answer_than_to_another_question(
    embedder: BuiltinEmbedder, question: str, near: str, far: str
) -> None:
    (asked,) = embedder.embed([question], kind="question")
    answer, other = embedder.embed([near, far])
    assert asked @ answer > asked @ other


@pytest.mark.slow
def test_a_question_takes_few_milliseconds(embedder: BuiltinEmbedder) -> None:
    embedder.embed(["warm"])
    asked = ["What did Maria say about the lease of the boat last spring?"]
    spent = []
    for _ in range(20):
        began = time.process_time()
        embedder.embed(asked, kind="question")
        spent.append(time.process_time() - began)
    assert min(spent) < 0.020  # 2 ms where there is VNNI


def test_the_scale_puts_pairs_where_the_belief_rules_expect_them(embedder: BuiltinEmbedder) -> None:
    raw, similarity = zip(*embedder.scale, strict=True)
    assert list(raw) == sorted(set(raw))
    assert list(similarity) == sorted(set(similarity))
    assert (similarity[0], embedder.scale[-1]) == (0.0, (1.0, 1.0))
    said = ["I live in Oslo", "I live in Oslo.", "I live in Bergen", "The ferry was late again"]
    one, respelt, changed, stranger = embedder.embed(said, kind="statement")
    found = [
        float(np.interp(one @ other, raw, similarity)) for other in (respelt, changed, stranger)
    ]
    assert found[0] > 0.85 > found[1] > 0.70
    assert found[2] < 0.40
