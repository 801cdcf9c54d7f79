"""The fetch and its cache: every way they can fail, and what is left behind."""

from __future__ import annotations

import re
import tempfile
import traceback
from pathlib import Path

import pytest
from toy_dataset import CONTENT, TOY, Server, assert_toy, files_in

from hypcse import HypcseWarning
from hypcse._progress import Progress, Stopped
from hypcse.datasets import DatasetUnavailable
from hypcse.datasets.sources import BASE_URL, cache_folder, fetch, load_entry, store
from hypcse.kernels.compile import user_cache


def test_fetch_checks_keeps_and_reports_progress(cache: Path, server: Server) -> None:
    server.serve(CONTENT)
    seen: list[Progress] = []
    assert_toy(load_entry(TOY, callback=seen.append))
    assert files_in(cache) == ["Toy.mat"]
    assert (cache / "Toy.mat").read_bytes() == CONTENT
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("download", TOY.bytes, TOY.bytes)


def test_cache_needs_no_network(cache: Path, server: Server) -> None:
    server.serve(CONTENT)
    load_entry(TOY)
    assert_toy(load_entry(TOY))
    assert server.n_requests == 1


FAULTS = {
    "truncated": (lambda server: server.serve(CONTENT[:-5], TOY.bytes), f"{TOY.bytes - 5} bytes read"),
    "short": (lambda server: server.serve(CONTENT[:-5]), "its sha256 is"),
    "empty": (lambda server: server.serve(b""), "its sha256 is"),
    "oversized": (lambda server: server.serve(CONTENT + b"more"), f"more than the {TOY.bytes} bytes"),
    "other content": (lambda server: server.serve(CONTENT[:-1] + b"!"), "its sha256 is"),
    "not found": (lambda server: None, "404"),
    "silent": (lambda server: server.stall(), "timed out"),
    "stalled": (lambda server: server.stall(CONTENT[:50]), "timed out"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failed_fetch_names_the_cause_and_leaves_nothing(
    cache: Path, server: Server, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hypcse.datasets.sources.TIMEOUT", 0.2)
    prepare, cause = FAULTS[fault]
    prepare(server)
    with pytest.raises(DatasetUnavailable, match=cause) as caught:
        load_entry(TOY)
    assert_names_three_ways(str(caught.value), cache)
    assert files_in(cache) == []


def assert_names_three_ways(text: str, cache: Path) -> None:
    assert "set HYPCSE_DATA to a folder that holds toy.npz" in text
    assert f"put Toy.mat into {cache}" in text
    assert "run again with a network connection" in text


def test_no_network_names_the_three_ways(cache: Path) -> None:
    with pytest.raises(DatasetUnavailable, match=r"127\.0\.0\.1:9/Toy\.mat failed") as caught:
        load_entry(TOY)
    assert isinstance(caught.value, OSError)
    assert len("".join(traceback.format_exception(caught.value)).splitlines()) < 30
    assert_names_three_ways(str(caught.value), cache)


@pytest.mark.parametrize("length", [None, 0])
def test_endless_answer_is_cut(cache: Path, server: Server, length: int | None) -> None:
    """With and without a header that tells how long it is."""
    server.serve(CONTENT * 10_000, length)
    seen: list[Progress] = []
    with pytest.raises(DatasetUnavailable, match="more than"):
        fetch(TOY, seen.append)
    assert max((step.done for step in seen), default=TOY.bytes) == TOY.bytes
    assert files_in(cache) == []


def test_a_callback_that_raises_stops_the_fetch(cache: Path, server: Server) -> None:
    server.serve(CONTENT)

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_entry(TOY, callback=stop)
    assert files_in(cache) == []


def test_a_callback_that_returns_true_stops_the_fetch(
    cache: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.serve(CONTENT)
    monkeypatch.setattr("hypcse.datasets.sources._CHUNK", 10)
    seen: list[Progress] = []
    with pytest.raises(Stopped, match=f"at 10 of {TOY.bytes} bytes"):
        load_entry(TOY, callback=lambda progress: seen.append(progress) or True)
    assert len(seen) == 1 and files_in(cache) == []


def test_url_is_of_one_commit() -> None:
    assert re.fullmatch(r"https://.*/HypCSE/[0-9a-f]{40}/datasets", BASE_URL)


def test_cache_that_cannot_be_written_still_gives_the_data(cache: Path, server: Server) -> None:
    server.serve(CONTENT)
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    with pytest.warns(HypcseWarning, match="cannot be stored"):
        assert_toy(load_entry(TOY))


@pytest.mark.parametrize("damaged", [CONTENT[:-1], CONTENT[:-1] + b"!", CONTENT + b"!", b""])
def test_damaged_cache_is_fetched_again(cache: Path, server: Server, damaged: bytes) -> None:
    server.serve(CONTENT)
    store(TOY, damaged)
    assert_toy(load_entry(TOY))
    assert (cache / "Toy.mat").read_bytes() == CONTENT


@pytest.mark.parametrize("value", [None, "", "relative/path"])
def test_cache_folder_without_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str | None) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert cache_folder() == tmp_path / ".cache" / "hypcse"


def test_a_user_without_a_home_has_a_cache_among_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*words: object, **more: object) -> None:
        raise RuntimeError("no home")

    monkeypatch.setattr("platformdirs.user_cache_path", fails)
    assert user_cache() is None
    assert cache_folder() == Path(tempfile.gettempdir()) / "hypcse"
