"""numba's cache of compiled functions, which a damaged file or a full disk does not stop."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache

from hypcse._checks import warn


class KernelCache(FunctionCache):
    """Compiled code of one function: what cannot be read is compiled again, what cannot be written is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except MemoryError:
            raise
        except Exception as error:
            # Reading a damaged pickle can raise anything.
            _warn_once(self._folder, type(error).__name__)
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_once(self._folder, error.strerror or type(error).__name__)
            self.disable()

    @property
    def _folder(self) -> Path:
        """The folder of all kernels."""
        return Path(self._cache_path).parents[1]

    def _forget(self) -> None:
        """Start an empty index; if that fails, stop using the cache."""
        try:
            self.flush()
        except OSError:
            self.disable()


@cache
def _warn_once(folder: Path, reason: str) -> None:
    warn(
        f"compiled kernels in {folder} cannot be used or kept ({reason}): they are compiled again. Free some space "
        "there, remove the folder, or set NUMBA_CACHE_DIR to another."
    )
