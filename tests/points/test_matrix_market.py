"""Headers of Matrix Market files that lie: SciPy would end the process, or take all of its memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import mmwrite

from hypcse.points.formats.matrix_market import read_header

HEAD = "%%MatrixMarket matrix "


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"{HEAD}array real general\n2 2\n1\n2\0\n3\n4\n", "a zero byte"),
        (f"{HEAD}array real symmetric\n5 2\n1\n2\n3\n4\n5\n6\n7\n", "symmetric, but has 5 rows and 2 columns"),
        (f"{HEAD}coordinate real symmetric\n2 5 1\n1 5 1\n", "symmetric, but has 2 rows and 5 columns"),
        (f"{HEAD}coordinate real skew-symmetric\n5 2 1\n5 1 1\n", "skew-symmetric, but has"),
        (f"{HEAD}array real general\n2000000000 20\n2\n", "40000000000 entries, but it has only .* bytes"),
        (f"{HEAD}coordinate real general\n20 20 2000000000\n2 1 1\n", "2000000000 entries, but it has only"),
        (f"{HEAD}coordinate real general\n-3 -3 2\n2 1 1\n", "must hold 3 whole numbers"),
        (f"{HEAD}coordinate real general\n{'9' * 5000} 3 2\n2 1 1\n", "must hold 3 whole numbers"),
        (f"{HEAD}coordinate real general\n", "must hold 3 whole numbers"),
        (f"{HEAD}coordinate real\n2 2 1\n1 1 1\n", "line 1 is not"),
        ("", "line 1 is not"),
    ],
)
def test_headers_that_lie(read, content, text):
    with pytest.raises(ValueError, match=rf"table\.mtx is damaged or not a Matrix Market file: .*{text}"):
        read(content, "table.mtx")


@pytest.mark.parametrize("sides", ["2000000000 2000000000", "200000000000 3", "3 200000000000"])
def test_claims_are_held_against_memory(read, monkeypatch, sides):
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 16 * 2**30)
    with pytest.raises(MemoryError, match=r"table\.mtx: a matrix of .* but 16\.0 GiB are free. Leave out rows"):
        read(f"{HEAD}coordinate real general\n{sides} 1\n2 1 1\n", "table.mtx")


@pytest.mark.parametrize("kind", ["general", "hermitian"])
def test_complex_numbers_are_refused(read, kind):
    with pytest.raises(ValueError, match=r"table\.mtx holds complex numbers"):
        read(f"{HEAD}coordinate complex {kind}\n2 2 1\n2 1 1 5\n", "table.mtx")


def test_nothing_in_it_and_wrong_values(read):
    with pytest.raises(ValueError, match=r"table\.mtx is a matrix of 0 x 3"):
        read(f"{HEAD}coordinate real general\n0 3 0\n", "table.mtx")
    with pytest.raises(ValueError, match=r"table\.mtx: values of X are not finite"):
        read(f"{HEAD}array real general\n2 1\nnan\n1\n", "table.mtx")


def test_ways_to_write_a_header(read):
    """Comments, blank lines, ends of lines of other systems, any case; and no end of the last line."""
    text = "%%MatrixMarket Matrix Coordinate Pattern Symmetric\r\n% of somebody\r\n\r\n3 3 2\r\n2 1\r\n3 2"
    assert read(text, "graph.mtx").graph.n_edges == 2


@given(st.integers(1, 4), st.integers(1, 4), st.booleans(), st.sampled_from([np.int64, np.float64]))
def test_sound_headers_pass(tmp_path_factory, n, d, symmetric, kind):
    path = tmp_path_factory.mktemp("sound") / "table.mtx"
    matrix = np.arange(n * d).reshape(n, d).astype(kind)
    mmwrite(path, matrix @ matrix.T if symmetric else matrix)
    header = read_header(path.read_bytes())
    assert (header.rows, header.columns) == ((n, n) if symmetric else (n, d))
