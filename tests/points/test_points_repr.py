"""How points show themselves: in one line, whatever they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from hypcse import Graph, Points

PATH = Graph.from_scipy(sparse.csr_array(np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)))


@pytest.mark.parametrize(
    ("points", "told"),
    [
        (
            Points(np.zeros((300, 6)), labels=np.arange(300) % 3, names=map(str, range(300))),
            "300 rows, 6 features, 3 classes",
        ),
        (Points(np.zeros((1, 1)), labels=["a"]), "1 row, 1 feature, 1 class"),
        (Points(np.zeros((3, 2)), labels=np.array(["a", None, np.nan], object)), "3 rows, 2 features, 1 class"),
        (Points(sparse.csr_array((1200, 5000))), "1,200 rows, 5,000 features"),
        (Points(graph=PATH), "3 vertices, 2 edges"),
        (Points(np.zeros((3, 2)), PATH), "3 rows, 2 features, 3 vertices, 2 edges"),
        (Points(distances=np.zeros((4, 4))), "4 rows, distances"),
        (Points(), "0 rows"),
    ],
)
def test_points_are_told_in_one_line(points, told):
    assert repr(points) == f"Points({told})"
