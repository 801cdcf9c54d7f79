"""One kind of error for files that are not what their suffix says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path


@contextmanager
def naming(path: Path, kind: str, own: tuple[type[Exception], ...] = (ValueError, TypeError)) -> Iterator[None]:
    """Name the file in every error raised while it is read: one of our `own`, or damage that a library met."""
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
        text = (str(error).strip().splitlines() or [""])[0] + (" is missing" if isinstance(error, KeyError) else "")
        text = text if len(text) > 2 and not text.isdecimal() else f"{type(error).__name__} {text}".strip()
        text = f"{text:.300}{'' if text.endswith(('.', '!', '?')) else '.'}"
        raise ValueError(
            f"{path} is damaged or not {kind}: {text} Write it again, or restore it from a copy."
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
    return type(error) in (ValueError, TypeError, MemoryError) and named
