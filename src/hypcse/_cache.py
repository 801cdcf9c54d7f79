"""The user's folder for files that can be made or downloaded again."""

from __future__ import annotations

from pathlib import Path


def user_cache() -> Path | None:
    """The cache folder of hypcse (~/.cache/hypcse on Linux, or below XDG_CACHE_HOME); None for a user without a home.

    It is not created here.
    """
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("hypcse", appauthor=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None
