"""One way to say that a file is not what its name says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Name the file when the library that reads it cannot make sense of it.

    Libraries raise errors of a dozen kinds on a file that was cut short or has wrong bytes. Only their calls belong
    inside: an error of our own must not be taken for damage.
    """
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from None
    except ImportError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # The system's own words name the file already: not there, not allowed, a folder.
        if type(error) is ValueError and str(path) in str(error):
            raise  # So do ours.
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(f"{path} is damaged or not {kind}: {words[0]:.300}") from error


def require(library: str, what: str, extra: str) -> None:
    """Raise, with the way to install it, where a library is missing."""
    try:
        import_module(library)
    except ImportError:
        raise ImportError(f'reading {what} needs {library}: pip install "hypcse[{extra}]".') from None
