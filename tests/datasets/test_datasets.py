"""Loading and fetching, against a real HTTP server on this machine."""

from __future__ import annotations

import dataclasses
import hashlib
import http.server
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.io import savemat

from hypcse import HypcseWarning, datasets
from hypcse.datasets.fetch import DatasetUnavailable, fetch
from hypcse.datasets.sources import read_mat, read_npz

X = np.arange(12.0).reshape(6, 2)
CODES = np.array([2, 2, 1, 1, 3, 3])


@pytest.fixture
def authors_file(tmp_path):
    """A small file of the authors' kind, and the catalogue's entry for it."""
    path = tmp_path / "Tiny.mat"
    savemat(path, {"fea": X, "gnd": CODES[:, None]})
    content = path.read_bytes()
    entry = datasets.Dataset("tiny", 6, 2, 3, "Tiny.mat", len(content), hashlib.sha256(content).hexdigest())
    return entry, content


@pytest.fixture(autouse=True)
def empty_places(tmp_path, monkeypatch):
    """No data folder and an empty cache."""
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@contextmanager
def server(answer):
    """An HTTP server whose GET is `answer(handler)`; its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            answer(self)

        def log_message(self, *_):
            """Keep quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def send(content, length=None, pause=0.0):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)
        time.sleep(pause)

    return answer


def test_fetch_brings_the_file_and_reports(authors_file, tmp_path):
    entry, content = authors_file
    calls = []
    with server(send(content)) as address:
        path = fetch(entry, tmp_path / "new" / "place", lambda *pair: calls.append(pair), base_url=address)
    assert path.read_bytes() == content
    assert calls[-1] == (len(content), len(content))
    features, classes = read_mat(entry, path)
    assert np.array_equal(features, X)
    assert classes.tolist() == [1, 1, 0, 0, 2, 2]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda content: send(content[:-7]), "bytes instead of"),
        (lambda content: send(content[:-7], length=len(content)), "bytes instead of|fetching it failed"),
        (lambda content: send(content + b"more" * 100_000), "more than"),
        (lambda content: send(bytes(len(content))), "another checksum"),
        (lambda content: lambda handler: handler.send_error(404), "404"),
        (lambda content: send(b"", length=len(content), pause=1.5), "fetching it failed"),
    ],
    ids=["short", "cut off", "too long", "wrong", "not found", "stalled"],
)
def test_wrong_answers_leave_nothing_behind(authors_file, tmp_path, spoil, text):
    entry, content = authors_file
    folder = tmp_path / "fetched"
    with server(spoil(content)) as address, pytest.raises(DatasetUnavailable, match=text) as caught:
        fetch(entry, folder, base_url=address, timeout=0.5)
    for way in ("HYPCSE_DATA", "tiny.npz", str(folder / "Tiny.mat"), "network"):
        assert way in str(caught.value)
    assert not folder.exists() or not list(folder.iterdir())


def test_no_network_names_the_damaged_cache(authors_file, tmp_path):
    entry, content = authors_file
    folder = tmp_path / "fetched"
    folder.mkdir()
    (folder / entry.file).write_bytes(content[:-1])
    with pytest.raises(DatasetUnavailable, match="is damaged"):
        fetch(entry, folder, base_url="http://127.0.0.1:9", timeout=0.5)


def test_a_failed_write_leaves_nothing(authors_file, tmp_path, monkeypatch):
    entry, content = authors_file

    def no_space(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", no_space)
    with server(send(content)) as address, pytest.raises(OSError, match="no space"):
        fetch(entry, tmp_path / "fetched", base_url=address)
    assert not list((tmp_path / "fetched").iterdir())


def test_places_are_tried_in_order(authors_file, tmp_path, monkeypatch):
    """The named folder, then the cache, then a fetch into the cache."""
    entry, content = authors_file
    monkeypatch.setattr("hypcse.datasets.catalogue.CATALOGUE", (entry,))
    with server(send(content)) as address:
        monkeypatch.setattr("hypcse.datasets.sources.fetch", lambda *args: fetch(*args, base_url=address))
        fetched, _ = datasets.load("tiny")
    assert np.array_equal(fetched, X)
    monkeypatch.setattr("hypcse.datasets.sources.fetch", lambda *_: pytest.fail("the cache was passed over"))
    assert np.array_equal(datasets.load("tiny")[0], X)
    np.savez(tmp_path / "tiny.npz", X=X + 1, y=CODES)
    monkeypatch.setenv("HYPCSE_DATA", str(tmp_path))
    assert np.array_equal(datasets.load("tiny")[0], X + 1)


def test_damaged_cache_is_fetched_again(authors_file, tmp_path, monkeypatch):
    entry, content = authors_file
    monkeypatch.setattr("hypcse.datasets.catalogue.CATALOGUE", (entry,))
    cached = tmp_path / "cache" / "hypcse" / entry.file
    cached.parent.mkdir(parents=True)
    cached.write_bytes(bytes(len(content)))
    with server(send(content)) as address:
        monkeypatch.setattr("hypcse.datasets.sources.fetch", lambda *args: fetch(*args, base_url=address))
        assert np.array_equal(datasets.load("tiny")[0], X)
    assert cached.read_bytes() == content


def test_scikit_learn_stands_in():
    features, classes = datasets.load("optical-digits")
    assert features.shape == (1797, 64)
    assert set(classes.tolist()) == set(range(10))
    with pytest.warns(HypcseWarning, match="rows 34 and 37"):
        features, classes = datasets.load("iris")
    assert features.shape == (150, 4)


def test_bad_names_and_folders(monkeypatch):
    with pytest.raises(ValueError, match="Did you mean 'pen-digits'"):
        datasets.load("pendigits")
    monkeypatch.setenv("HYPCSE_DATA", "/no/such/folder")
    with pytest.raises(FileNotFoundError, match="no folder"):
        datasets.load("zoo")


def test_bad_files_are_named(authors_file, tmp_path):
    entry, _ = authors_file
    path = tmp_path / "tiny.npz"
    bad = [
        ({"X": X}, "plain arrays X and y"),
        ({"X": X[:-1], "y": CODES}, "got \\(5, 2\\)"),
        ({"X": X, "y": np.zeros(6)}, "3 classes, got 1"),
        ({"X": np.array([None] * 6), "y": CODES}, "plain arrays"),
    ]
    for arrays, text in bad:
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=text):
            read_npz(entry, path)
    path.write_bytes(b"not an archive")
    with pytest.raises(ValueError, match=r"tiny\.npz"):
        read_npz(entry, path)
    savemat(tmp_path / "Tiny.mat", {"fea": X})
    with pytest.raises(ValueError, match="no array 'gnd'"):
        read_mat(entry, tmp_path / "Tiny.mat")


def test_catalogue():
    assert datasets.available()[:3] == ["zoo", "iris", "wine"]
    assert len(datasets.available()) == 9
    assert all(len(entry.sha256) == 64 for entry in map(datasets.describe, datasets.available()))
    assert dataclasses.is_dataclass(datasets.describe("zoo"))


def test_the_real_ones(paper_data):
    for name in datasets.available():
        entry = datasets.describe(name)
        features, classes = paper_data(name)
        assert features.shape == (entry.n_points, entry.n_features)
        assert np.unique(classes).tolist() == list(range(entry.n_classes))
