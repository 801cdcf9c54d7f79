"""One kind of error for files that are not what their suffix says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path

from hypcse.points.columns import Ambiguous


@contextmanager
def naming(path: Path, kind: str, own: tuple[type[Exception], ...] = (ValueError, TypeError)) -> Iterator[None]:
    """Name the file in every error raised while it is read: a wrong value found by our own checks, or damage.

    It goes around a whole reader. An error that is not one of our `own` comes from a library that met something its
    format does not allow; only a failed assertion is a bug in this package.
    """
    try:
        yield
    except Exception as error:
        if _names_file(error, path) or (own and isinstance(error, AssertionError)):
            raise
        if isinstance(error, MemoryError):
            text = str(error) or "it does not fit into memory. Read only part of it."
            raise MemoryError(f"{path}: {text}") from error
        if type(error) in own:
            raise type(error)(f"{path}: {error}") from error
        raise ValueError(
            f"{path} is damaged or not {kind}: {_first_line(error)} Write it again, or restore it from a copy."
        ) from error


def reading(path: Path, kind: str) -> AbstractContextManager[None]:
    """Report every error of the library called inside as damage of the file: libraries raise ValueErrors for it too."""
    return naming(path, kind, own=())


def require(library: str, what: str, extra: str) -> None:
    """Raise if a library is missing, and say how to install it."""
    try:
        import_module(library)
    except ImportError:
        raise ImportError(f'reading {what} needs {library}: pip install "hypcse[{extra}]".') from None


def _names_file(error: Exception, path: Path) -> bool:
    """Whether an error's text is readable already, and names the file where that matters."""
    if isinstance(error, ImportError):
        return True
    if isinstance(error, OSError):
        return error.filename is not None  # The system's own text: not found, not allowed, a folder.
    text = str(error)
    # Libraries name the file too, somewhere in several lines; our errors begin with it.
    named = text.startswith(str(path)) or (str(path) in text and "\n" not in text)
    return type(error) in (ValueError, TypeError, MemoryError, Ambiguous) and named


def _first_line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, KeyError):
        text = f"{text} is missing"
    if text.isdecimal() or len(text) < 3:
        text = f"{type(error).__name__} {text}".strip()
    return f"{text:.300}{'' if text.endswith(('.', '!', '?')) else '.'}"
