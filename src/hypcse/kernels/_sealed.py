"""numba's cache of compiled functions, that nothing damaged is run from and no full disk stops."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from hypcse._checks import warn

_SEAL = hashlib.sha256().digest_size


class DamagedCode(ValueError):
    """A file of compiled code that is not as it was written."""


class SealedFiles(IndexDataCacheFile):
    """Files of one function, its index and its code, each with the sha256 of its content at the end.

    What comes after a pickle is not read by numba, which runs the rest whatever it is.
    """

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())

    def _load_index(self) -> dict[Any, str]:
        _check_seal(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check_seal(Path(self._data_path(name)))
        return super()._load_data(name)

    def remove(self) -> None:
        """Remove all files of the function."""
        index = Path(self._index_path)
        for path in (index, *index.parent.glob(f"{index.stem}.*.nbc")):
            path.unlink(missing_ok=True)


class SealedCache(FunctionCache):
    """Compiled code of one function: what cannot be read is compiled anew, what cannot be written is not kept."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file: SealedFiles = SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except MemoryError:
            raise
        except Exception as error:
            # Anything may come of a file that is not what it was, or that another build of numba wrote.
            _say_failure(self._folder, _reason(error))
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _say_failure(self._folder, _reason(error))
            self.disable()

    @property
    def _folder(self) -> Path:
        """That of all kernels."""
        return Path(self._cache_path).parents[1]

    def _forget(self) -> None:
        """Remove what is damaged; where that fails, leave it and look there no more."""
        try:
            self._cache_file.remove()
        except OSError:
            self.disable()


def _check_seal(path: Path) -> None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    if hashlib.sha256(content[:-_SEAL]).digest() != content[-_SEAL:]:
        raise DamagedCode("damaged")


def _reason(error: Exception) -> str:
    """Why a file failed, without its name: of many that fail in one way, one is told."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) if isinstance(error, DamagedCode) else type(error).__name__


@cache
def _say_failure(folder: Path, why: str) -> None:
    warn(
        f"compiled kernels in {folder} cannot be used or kept ({why}): they are compiled again. Free some space there, "
        "remove the folder, or set NUMBA_CACHE_DIR to another."
    )
