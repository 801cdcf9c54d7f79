"""Folders and a server of their own for the tests of the data sets."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_dataset import NO_SERVER, Server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    # A proxy of the machine must not stand between the test and its own server.
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    started = Server()
    monkeypatch.setattr("hypcse.datasets.sources.BASE_URL", started.url)
    thread = threading.Thread(target=started.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield started
    started.done.set()
    started.http.shutdown()
    started.http.server_close()
    thread.join(5)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder, no HYPCSE_DATA and no network."""
    monkeypatch.setattr("hypcse.datasets.sources.BASE_URL", NO_SERVER)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    return tmp_path / "cache" / "hypcse"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path) -> Path:
    """An empty folder named by HYPCSE_DATA."""
    created = tmp_path / "data"
    created.mkdir()
    monkeypatch.setenv("HYPCSE_DATA", str(created))
    return created
