"""The folder of kept entries: who may use it, atomic writes, a bound on its size.

Entries are text that will be executed, so only what the user alone can write is ever read: the folder must be theirs
and closed to others (0700), and so must each file.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

__all__ = ["Folder", "Usage", "user_folder"]

VARIABLE = "GRADCLI_CACHE_DIR"
SUFFIX = ".plan"
MOST_BYTES = 64 << 20
MOST_ENTRIES = 2000
MOST_ENTRY_BYTES = 4 << 20
LEFT_AFTER = 3600  # seconds; by then whoever was writing has ended

# The folder may hold what others have put there, and only what was written here is ever counted or removed.
_ENTRY = r"[0-9a-f]{40}\.plan"
_TEMPORARY = r"[0-9a-f]{8}\w{8}\.tmp"


def user_folder() -> Folder | None:
    """That of GRADCLI_CACHE_DIR, where an empty text means none; else the one that the system has for caches.

    None, too, where there is no place for it: no home, or a relative path in a folder that has been removed.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        return _system_folder()
    with suppress(OSError):
        return Folder(os.path.abspath(chosen)) if chosen else None
    return None


def _system_folder() -> Folder | None:
    from platformdirs import user_cache_path

    with suppress(OSError, RuntimeError):
        found = user_cache_path("gradcli", appauthor=False) / "plans"
        return Folder(str(found)) if found.is_absolute() else None  # `~/.cache` where nothing says what ~ is
    return None


class Usage(NamedTuple):
    """How much is kept."""

    entries: int
    bytes: int


class Folder(NamedTuple):
    """Entries by key, a file each."""

    path: str

    def load(self, key: str) -> bytes | None:
        """The entry; None where there is none that can be trusted."""
        if not self._is_private():
            return None
        try:
            with open(self._file(key), "rb", opener=_open_plain) as stream:
                found = os.fstat(stream.fileno())
                if not (stat.S_ISREG(found.st_mode) and _is_ours(found)) or found.st_size > MOST_ENTRY_BYTES:
                    return None
                data = stream.read(MOST_ENTRY_BYTES)
        except OSError:
            return None
        with suppress(OSError):  # what cannot be written can be read
            os.utime(self._file(key))  # the oldest are removed first
        return data

    def save(self, key: str, data: bytes) -> None:
        """Keeps the entry, whole or not at all."""
        from tempfile import mkstemp

        if len(data) > MOST_ENTRY_BYTES:
            return
        with suppress(OSError):
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            if not self._is_private():
                return
            handle, temporary = mkstemp(dir=self.path, prefix=key[:8], suffix=".tmp")
            try:
                with open(handle, "wb") as stream:
                    stream.write(data)
                os.replace(temporary, self._file(key))
            except BaseException:
                with suppress(OSError):
                    os.remove(temporary)
                raise
            self._shrink()

    def remove(self, key: str) -> None:
        """Forgets an entry."""
        with suppress(OSError):
            os.remove(self._file(key))

    def usage(self) -> Usage:
        """What is in the folder."""
        sizes = [size for _, size, _ in self._files(_ENTRY)]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Removes all entries, and what an interrupted process has left; says what that was."""
        before = self.usage()
        for _, _, path in (*self._files(_ENTRY), *self._files(_TEMPORARY)):
            with suppress(OSError):
                os.remove(path)
        after = self.usage()
        with suppress(OSError):
            os.rmdir(self.path)
        return Usage(before.entries - after.entries, before.bytes - after.bytes)

    def _file(self, key: str) -> str:
        return os.path.join(self.path, key + SUFFIX)

    def _is_private(self) -> bool:
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and _is_ours(found)

    def _files(self, name: str) -> Iterator[tuple[float, int, str]]:
        """(time of last use, bytes, path) of each file that has such a name."""
        with suppress(OSError), os.scandir(self.path) as found:
            for entry in found:
                if re.fullmatch(name, entry.name):
                    with suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        if not stat.S_ISDIR(status.st_mode):
                            yield status.st_mtime, status.st_size, entry.path

    def _shrink(self) -> None:
        """Removes the entries that were not used for longest, down to the bounds, and what interrupted processes have
        left."""
        for used, _, path in self._files(_TEMPORARY):
            if used < time.time() - LEFT_AFTER:
                with suppress(OSError):
                    os.remove(path)
        found = sorted(self._files(_ENTRY))
        entries, total = len(found), sum(size for _, size, _ in found)
        for _, size, path in found:
            if entries <= MOST_ENTRIES and total <= MOST_BYTES:
                return
            with suppress(OSError):
                os.remove(path)
            entries, total = entries - 1, total - size


def _open_plain(path: str, flags: int) -> int:
    """No symbolic link is followed, and no pipe waited for."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_ours(found: os.stat_result) -> bool:
    """Whether it belongs to the user, and nobody else may write it; Windows keeps that in other ways."""
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o022
