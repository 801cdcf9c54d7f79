"""Renames that never overwrite, and atomic exchange of two names, where the system can."""

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
"""Error codes of a system or a disk that does not support the call."""


def rename_to_free(source: Path, target: Path) -> None:
    """Rename a folder; FileExistsError if the target exists, even if it appeared just now."""
    if _rename_with(source, target, _NO_REPLACE):
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        os.rename(source, target)
    except OSError as error:
        # The system refuses a folder that appeared in between, unless it is empty.
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        raise


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names atomically; return False and do nothing if the system cannot."""
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
    """The Linux system call, or None elsewhere."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, TypeError, AttributeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call
