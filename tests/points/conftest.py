"""Files to read, written on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hypcse


@pytest.fixture
def read(tmp_path) -> Callable[..., hypcse.Points]:
    """Points of a file with this text or these bytes, read by the strict rules unless asked otherwise."""

    def of_file(
        content: str | bytes, name: str = "table.csv", encoding: str = "utf-8", **options: Any
    ) -> hypcse.Points:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return hypcse.read(tmp_path / name, **{"strict": True, **options})

    return of_file
