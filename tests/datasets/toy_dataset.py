"""A made-up data set, its file, and a server that gives it well or badly."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.io import savemat

from hypcse.datasets.catalog import Dataset
from hypcse.datasets.sources import Labeled

X = np.arange(12.0).reshape(6, 2) / 7
Y = np.array([0, 0, 1, 1, 2, 2])
# Nothing listens on the discard port, so a connection to it is refused at once.
NO_SERVER = "http://127.0.0.1:9"


def mat(features: object, labels: ArrayLike) -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, {"fea": features, "gnd": np.asarray(labels)[:, None]})
    return buffer.getvalue()


def entry_of(content: bytes, n_points: int = 6, n_features: int = 2, n_classes: int = 3) -> Dataset:
    digest = sha256(content).hexdigest()
    return Dataset("toy", "Toy.mat", len(content), digest, n_points, n_features, n_classes, "made up")


CONTENT = mat(X, [3, 3, 5, 5, 9, 9])
TOY = entry_of(CONTENT)


class Server:
    """Answers GET with the bytes in `answers`, and counts the requests."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.n_requests = 0
        self.done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.n_requests += 1
                outer.answers.get(self.path, lambda handler: handler.send_error(404))(self)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing: requests are no part of the tests' output."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def serve(self, content: bytes, length: int | None = None) -> None:
        """Answer for Toy.mat with `content` under a header that promises `length` bytes; none where that is 0."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            if length != 0:
                handler.send_header("Content-Length", str(len(content) if length is None else length))
            handler.end_headers()
            handler.wfile.write(content)

        self.answers["/Toy.mat"] = answer

    def stall(self, content: bytes = b"") -> None:
        """Send the header and `content`, then nothing until the test is over."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(content)
            handler.wfile.flush()
            self.done.wait(10)

        self.answers["/Toy.mat"] = answer


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def assert_toy(loaded: Labeled, features: ArrayLike = X) -> None:
    assert loaded[0].dtype == np.float64
    assert loaded[1].dtype == np.int64
    np.testing.assert_array_equal(loaded[0], features)
    np.testing.assert_array_equal(loaded[1], Y)
