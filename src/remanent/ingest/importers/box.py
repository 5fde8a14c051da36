"""A file, a folder or a zip archive, read one member at a time and never unpacked to the disk."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Final

from remanent.core.dataclasses import dataclass
from remanent.errors import InvalidInput

MOST_MEMBERS: Final = 500_000
MOST_TEXT_BYTES: Final = 80_000_000  # of a member that is one text: as much as `add` could take
MOST_RATIO: Final = 200  # JSON and mail shrink by 3 to 30; a bomb by 1,000
SMALL_BYTES: Final = 64_000_000  # below this no ratio is worth a thought
_FAILURES: Final = (
    OSError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


class Unreadable(Exception):
    """A member cannot be read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of a box. `name` uses forward slashes and is only a label: nothing is opened by it."""

    name: str
    size: int
    modified: datetime | None = None

    @property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.name)


class Box:
    """What an importer reads from. It counts what was read, so that progress can be told; `refused` are
    the names of what is not read at all, and why."""

    def __init__(
        self,
        name: str,
        members: Sequence[Member],
        open_: Callable[[Member], IO[bytes]],
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.members = tuple(members)
        self.refused = refused or {}
        self._open = open_
        self._wanted = 0
        self._read = 0

    @property
    def share(self) -> float:
        """How much of what was picked has been read, from 0 to 1."""
        return min(1.0, self._read / self._wanted) if self._wanted else 0.0

    def pick(self, members: Sequence[Member]) -> Sequence[Member]:
        """Say what is going to be read; the same members come back."""
        self._read, self._wanted = 0, sum(one.size for one in members)
        return members

    @contextmanager
    def open(self, member: Member) -> Iterator[Stream]:
        """The bytes of a member; whatever goes wrong with them is `Unreadable`."""
        try:
            file = self._open(member)
        except _FAILURES as problem:
            raise Unreadable(_error_text(problem)) from None
        with file:
            yield Stream(file, self._count)

    def text(self, member: Member) -> str:
        """All of a member that is one text."""
        if member.size > MOST_TEXT_BYTES:
            raise Unreadable(f"has {member.size:,} bytes; at most {MOST_TEXT_BYTES:,} are taken")
        with self.open(member) as file:
            return decoded(file.read(MOST_TEXT_BYTES + 1))

    def _count(self, read: int) -> None:
        self._read += read


class Stream:
    """Reads forward only; the failures of files and archives come out as `Unreadable`."""

    def __init__(self, file: IO[bytes], count: Callable[[int], None]) -> None:
        self._file = file
        self._count = count

    def read(self, size: int) -> bytes:
        return self._read_counted(lambda: self._file.read(size))

    def readline(self, limit: int) -> bytes:
        """One line, or the first `limit` bytes of a longer one."""
        return self._read_counted(lambda: self._file.readline(limit))

    def _read_counted(self, read: Callable[[], bytes]) -> bytes:
        try:
            data = read()
        except _FAILURES as problem:
            raise Unreadable(_error_text(problem)) from None
        self._count(len(data))
        return data


def decoded(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 where a mark at its beginning says so."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise Unreadable(f"is not UTF-8 text: the byte at offset {problem.start:,}") from None


@contextmanager
def opened(path: Path) -> Iterator[Box]:
    """The box at `path`."""
    if path.is_dir():
        yield _folder(path)
        return
    if not path.is_file():
        raise InvalidInput("path", f"there is no file or folder {path}")
    try:
        if not zipfile.is_zipfile(path):
            yield _file(path)
            return
        with zipfile.ZipFile(path) as archive:
            yield _archive(path, archive)
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as problem:
        raise InvalidInput("path", f"{path} is a damaged zip archive: {problem}") from None
    except OSError as problem:
        raise InvalidInput("path", f"{path} cannot be read: {problem.strerror}") from None


def _file(path: Path) -> Box:
    facts = path.stat()
    if facts.st_size == 0:
        raise InvalidInput("path", f"{path} is empty")
    member = Member(name=path.name, size=facts.st_size, modified=_time(facts.st_mtime))
    return Box(path.name, [member], lambda _: path.open("rb"))


def _folder(root: Path) -> Box:
    files: dict[str, Path] = {}
    refused: dict[str, str] = {}
    members = []
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith((".", "__MACOSX")))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or not path.is_file():
                continue
            label = path.relative_to(root).as_posix()
            if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
                refused[label] = "is a link that leads out of the folder"
                continue
            facts = path.stat()
            files[label] = path
            modified = _time(facts.st_mtime)
            members.append(Member(name=label, size=facts.st_size, modified=modified))
            if len(members) > MOST_MEMBERS:
                raise InvalidInput("path", f"{root} holds more than {MOST_MEMBERS:,} files")
    return Box(root.resolve().name, members, lambda one: files[one.name].open("rb"), refused)


def _archive(path: Path, archive: zipfile.ZipFile) -> Box:
    listed = [one for one in archive.infolist() if not one.is_dir()]
    if len(listed) > MOST_MEMBERS:
        raise InvalidInput("path", f"{path} holds more than {MOST_MEMBERS:,} files")
    total = sum(one.file_size for one in listed)
    if total > max(SMALL_BYTES, MOST_RATIO * path.stat().st_size):
        raise InvalidInput(
            "path", f"{path} would unpack to {total:,} bytes, too many for its size: a zip bomb?"
        )
    ours = [one for one in listed if not _is_left_behind(one.filename)]
    refused = {one.filename: why for one in ours if (why := _refusal(one))}
    infos = {one.filename: one for one in ours if one.filename not in refused}
    members = [
        Member(name=name, size=one.file_size, modified=_zip_time(one))
        for name, one in sorted(infos.items())
    ]
    return Box(path.name, members, lambda one: _unpacked(archive, infos[one.name]), refused)


def _is_left_behind(name: str) -> bool:
    """What file managers leave behind."""
    parts = set(PurePosixPath(name.replace("\\", "/")).parts) - {".."}
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def _refusal(info: zipfile.ZipInfo) -> str:
    """Why a member is not taken; nothing, where it is."""
    path = PureWindowsPath(info.filename)  # takes both slashes, and drives
    if ".." in path.parts or path.anchor:
        return "leads out of the archive"
    return "is a link, not a file" if stat.S_ISLNK(info.external_attr >> 16) else ""


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.flag_bits & 0x1:
        raise OSError("is encrypted")
    if info.file_size > max(SMALL_BYTES, MOST_RATIO * info.compress_size):
        raise OSError(f"would unpack to {info.file_size:,} bytes: a zip bomb?")
    if info.file_size == 0:
        return BytesIO()
    return archive.open(info)


def _time(seconds: float) -> datetime | None:
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(seconds, UTC)
    return None


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    """Zip archives keep local times of nobody knows where; 1980 means that none was known."""
    with suppress(ValueError):
        when = datetime(*info.date_time, tzinfo=UTC)
        return when if when.year > 1980 else None
    return None


def _error_text(problem: BaseException) -> str:
    text = getattr(problem, "strerror", None) or str(problem)
    return f"cannot be read: {text or type(problem).__name__}"
