"""One way to say that a file is not what its name says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_WAY_OUT = "Write it anew, or take it from a copy."


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Name the file when the library that reads it cannot make sense of it.

    Libraries raise errors of a dozen kinds on a file that was cut short or has wrong bytes. Only their calls belong
    inside: an error of our own must not be taken for damage. What they raised is the cause of the error.
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
    """Name the file in whatever is raised while it is read: a wrong value, which our own checks tell, or damage.

    It goes around a whole reader. What no check of ours raises comes from a library that met something that its
    format does not have; only an assertion that does not hold is a fault of this package.
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
    """Raise, with the way to install it, where a library is missing."""
    try:
        import_module(library)
    except ImportError:
        raise ImportError(f'reading {what} needs {library}: pip install "hypcse[{extra}]".') from None


def _is_told(error: Exception, path: Path) -> bool:
    """Whether the words of an error are for a person already, and name the file where that matters."""
    if isinstance(error, ImportError):
        return True
    if isinstance(error, OSError):
        return error.filename is not None  # The system's own words: not there, not allowed, a folder.
    words = str(error)
    # Libraries name the file too, somewhere in several lines; ours have it first.
    named = words.startswith(str(path)) or (str(path) in words and "\n" not in words)
    return type(error) in (ValueError, TypeError, MemoryError) and named


def _too_large(error: MemoryError, path: Path) -> MemoryError:
    return MemoryError(f"{path}: {str(error) or 'it does not fit into memory. Read a part of it.'}")


def _damaged(error: Exception, path: Path, kind: str) -> ValueError:
    words = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if isinstance(error, KeyError):
        words = f"{words} is missing"
    if words.isdecimal() or len(words) < 3:
        words = f"{type(error).__name__} {words}"
    end = "" if words.endswith((".", "!", "?")) else "."
    return ValueError(f"{path} is damaged or not {kind}: {words:.300}{end} {_WAY_OUT}")
