"""Replaces whole files: a reader, a kill and a full disk meet the old content or the new one, never a part of either.

    write_file(path, data)

The data go to a temporary file in the same folder, are flushed to the disk, and the file is renamed. Mode and owner of
an old file are kept. A link at the path is refused, not followed; links in the folders above it are followed. Other
names of the same file (hard links) keep the old content. A killed process leaves a temporary file, which the next write
of the same file removes. Stands in `tasks` since every package writes files and may import this one.
"""

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class WriteError(OSError):
    """A file that was not written; the message says what became of the old one and what to do."""


def write_file(path: str | Path, data: bytes | str) -> None:
    """Create or replace a file as a whole, text as UTF-8; raises WriteError, and then the old file is as it was."""
    path = Path(path)
    check_target(path)
    _remove_leftovers(path)
    temporary: Path | None = None
    try:
        temporary, handle = _temporary(path)
        try:
            _write(handle, data.encode() if isinstance(data, str) else data)
            _keep_access(path, handle)
            os.fsync(handle)
            os.replace(temporary, path)  # while the lock is held
        finally:
            os.close(handle)
    except BaseException as error:  # KeyboardInterrupt too: it must not leave a temporary file
        removed = temporary is None or _removed(temporary)
        if isinstance(error, OSError):
            raise WriteError(_report(path, error, None if removed else temporary)) from error
        raise
    flush_folder(path.parent)


def check_target(path: str | Path) -> None:
    """Raise WriteError where `write_file` would refuse the path: a link, no regular file, read-only, or no folder.

    A command that works for long calls this before it begins.
    """
    path = Path(path)
    try:
        old = os.lstat(path)
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise WriteError(f"{path} cannot be written: there is no folder {path.parent}. Create it.") from None
        return
    except OSError as error:
        raise WriteError(f"{path} cannot be written ({error.strerror}). Give another path.") from error
    if stat.S_ISLNK(old.st_mode):
        raise WriteError(f"{path} is a link to {os.readlink(path)}, and links are not followed. Give the file itself.")
    if not stat.S_ISREG(old.st_mode):
        raise WriteError(f"{path} is no regular file, so it cannot be replaced. Give another path.")
    if not os.access(path, os.W_OK):
        raise WriteError(f"{path} is read-only. Make it writable, or give another path.")


def flush_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, where the file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _temporary(path: Path) -> tuple[Path, int]:
    """A new file beside the path, open and locked: the lock shows other writers that its process lives."""
    while True:
        name = path.with_name(f"{_prefix(path)}{token_hex(8)}.tmp")
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return name, handle
        os.close(handle)  # another writer took it for a leftover before it was locked


def _prefix(path: Path) -> str:
    return f".{path.name[:48]}."  # short enough for a name of 255 bytes, whatever the characters


def _remove_leftovers(path: Path) -> None:
    """Remove the temporary files of killed processes: those that no process holds a lock on."""
    with suppress(OSError):
        found = [Path(each) for each in os.scandir(path.parent) if _is_temporary(each.name, path)]
        for leftover in found:
            with suppress(OSError):
                handle = os.open(leftover, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(leftover)
                finally:
                    os.close(handle)


def _is_temporary(name: str, path: Path) -> bool:
    return name.startswith(_prefix(path)) and name.endswith(".tmp") and len(name) == len(_prefix(path)) + 20


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _keep_access(path: Path, handle: int) -> None:
    """Give the new file the owner and the mode of the old one; another user's file is ours where we may not give it."""
    with suppress(FileNotFoundError):
        old, new = os.stat(path, follow_symlinks=False), os.fstat(handle)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with suppress(PermissionError):
                os.fchown(handle, old.st_uid, old.st_gid)
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _removed(temporary: Path) -> bool:
    try:
        os.unlink(temporary)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _report(path: Path, error: OSError, remaining: Path | None) -> str:
    old = "the old file is as it was" if os.path.lexists(path) else "there is no file of this name, as before"
    temporary = f"the temporary file {remaining} could not be removed" if remaining else "no temporary file is left"
    remedy = "Make room on the disk" if error.errno in _FULL else "Make the folder writable"
    reason = error.strerror or error
    return f"{path} was not written ({reason}): {old}, and {temporary}. {remedy}, and give the same command again."
