"""JSON lines of a file or a stream, one after the other: however long it is, little of it is in memory."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from remanent.errors import InvalidInput

Place = str | Path | TextIO
Write = Callable[[str], object]

LONGEST: Final = 512 * 1024 * 1024  # bytes of one line; the longest source there can be fits
_CHUNK: Final = 1 << 20
_GZIP: Final = ".gz"
_LEVEL: Final = 6


@contextmanager
def writing(to: Place) -> Iterator[Write]:
    """A way to write lines. A file appears whole or not at all, for its owner's eyes alone; one whose
    name ends in .gz is compressed."""
    if not isinstance(to, str | Path):
        yield lambda line: to.write(f"{line}\n")
        return
    path = Path(to)
    if path.is_dir():
        raise InvalidInput("path", f"{path} is a folder; name one file")
    part = path.with_name(f".{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(number, "wb") as file:  # noqa: PTH123 - it is open already
            with _gzip_writer(path, file) as out:
                yield lambda line: out.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as problem:
        part.unlink(missing_ok=True)
        raise InvalidInput("path", f"{path} cannot be written: {problem.strerror}") from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _gzip_writer(path: Path, file: BinaryIO) -> Iterator[BinaryIO]:
    if path.suffix != _GZIP:
        yield file
        return
    # Without name and date: equal memories make equal files.
    with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as out:
        yield cast("BinaryIO", out)


class JsonLines:
    """A file of lines that is read from the beginning as often as one likes."""

    def __init__(self, raw: BinaryIO, *, is_squeezed: bool) -> None:
        self._raw = raw
        self._is_squeezed = is_squeezed
        self.size = raw.seek(0, os.SEEK_END)

    @property
    def place(self) -> int:
        """How many bytes of it lie behind us."""
        return self._raw.tell()

    def __iter__(self) -> Iterator[bytes]:
        """Its lines without their ends; one that is longer than any can be is an `InvalidInput`."""
        self._raw.seek(0)
        file = self._raw
        if self._is_squeezed:
            file = cast("BinaryIO", gzip.GzipFile(fileobj=self._raw))
        for number, line in enumerate(iter(lambda: _read(file), b""), start=1):
            if len(line) > LONGEST:
                raise InvalidInput(f"line {number}", f"is longer than {LONGEST:,} bytes")
            if not line.endswith(b"\n"):
                raise InvalidInput(f"line {number}", "has no end: the file was cut off")
            yield line[:-1]


def _read(file: BinaryIO) -> bytes:
    try:
        return file.readline(LONGEST + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise InvalidInput("path", f"is not whole: {problem}") from None


@contextmanager
def reading(from_: Place) -> Iterator[JsonLines]:
    """The lines of a file, or of a stream that is put aside first: it can be read once only."""
    if isinstance(from_, str | Path):
        path = Path(from_)
        if path.is_dir():
            raise InvalidInput("path", f"{path} is a folder; name one file")
        try:
            file: BinaryIO = path.open("rb")
        except FileNotFoundError:
            raise InvalidInput("path", f"there is no file {path}") from None
        except OSError as problem:
            raise InvalidInput("path", f"{path} cannot be read: {problem.strerror}") from None
        with file:
            yield JsonLines(file, is_squeezed=path.suffix == _GZIP)
        return
    with tempfile.TemporaryFile() as aside:
        while chunk := from_.read(_CHUNK):
            aside.write(chunk.encode("utf-8", "surrogatepass"))
        yield JsonLines(aside, is_squeezed=False)
