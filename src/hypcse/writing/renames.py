"""Renames that never overwrite, and two names exchanged at once, where the system can."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

_NO_REPLACE, _EXCHANGE = 1, 2
_HERE = -100
"""AT_FDCWD: paths count from the current folder."""
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)
"""What a system or a disk answers that does not know the call."""


def rename_to_free(source: Path, target: Path) -> None:
    """Rename a folder; FileExistsError where the target exists, whoever made it and whenever."""
    if _rename_with(source, target, _NO_REPLACE):
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        os.rename(source, target)
    except OSError as error:
        # A folder that came in between is refused by the system, unless it is empty.
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        raise


def exchange(one: Path, other: Path) -> bool:
    """Exchange what two names stand for, with no moment between; False, and nothing done, where that is not known."""
    return _rename_with(one, other, _EXCHANGE)


def _rename_with(source: Path, target: Path, flag: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    if call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNKNOWN:
        return False
    raise OSError(code, os.strerror(code), str(source), None, str(target))


@cache
def _renameat2() -> Any:
    """Linux's call, or None elsewhere."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, TypeError, AttributeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call
