"""One error for files that are not what their suffix says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_WAY_OUT = "Write it again, or restore it from a copy."


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Name the file if the library that reads it fails.

    Libraries raise many kinds of errors for a file that was truncated or has wrong bytes. Put only their calls inside:
    an error of our own must not be reported as damage. The library's error becomes the cause.
    """
    try:
        yield
    except Exception as error:
        if _is_told(error, path):
            raise
        if isinstance(error, MemoryError):
            raise _too_large(error, path) from error
        raise _damaged(error, path, kind) from error


@contextmanager
def naming(path: Path, kind: str) -> Iterator[None]:
    """Name the file in every error raised while it is read: a wrong value found by our own checks, or damage.

    It goes around a whole reader. An error that our checks did not raise comes from a library that met something its
    format does not allow; only a failed assertion is a bug in this package.
    """
    try:
        yield
    except Exception as error:
        if _is_told(error, path) or isinstance(error, AssertionError):
            raise
        if isinstance(error, MemoryError):
            raise _too_large(error, path) from error
        if type(error) in (ValueError, TypeError):
            raise type(error)(f"{path}: {error}") from error
        raise _damaged(error, path, kind) from error


def require(library: str, what: str, extra: str) -> None:
    """Raise if a library is missing, and say how to install it."""
    try:
        import_module(library)
    except ImportError:
        raise ImportError(f'reading {what} needs {library}: pip install "hypcse[{extra}]".') from None


def _is_told(error: Exception, path: Path) -> bool:
    """Whether an error's text is readable already, and names the file where that matters."""
    if isinstance(error, ImportError):
        return True
    if isinstance(error, OSError):
        return error.filename is not None  # The system's own text: not found, not allowed, a folder.
    words = str(error)
    # Libraries name the file too, somewhere in several lines; our errors begin with it.
    named = words.startswith(str(path)) or (str(path) in words and "\n" not in words)
    return type(error) in (ValueError, TypeError, MemoryError) and named


def _too_large(error: MemoryError, path: Path) -> MemoryError:
    return MemoryError(f"{path}: {str(error) or 'it does not fit into memory. Read only part of it.'}")


def _damaged(error: Exception, path: Path, kind: str) -> ValueError:
    words = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if isinstance(error, KeyError):
        words = f"{words} is missing"
    if words.isdecimal() or len(words) < 3:
        words = f"{type(error).__name__} {words}"
    end = "" if words.endswith((".", "!", "?")) else "."
    return ValueError(f"{path} is damaged or not {kind}: {words:.300}{end} {_WAY_OUT}")
