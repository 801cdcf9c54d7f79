"""No warning of another library reaches the user."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from hypcse import methods

SCRIPT = """
import matplotlib, numpy as np, sys
matplotlib.use("Agg")
import hypcse

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(30, 3)), rng.normal(size=(30, 3)) + 6])
y = [0] * 30 + [1] * 30
model = hypcse.HypCSE(n_epochs=1).fit(X)
model.predict(X[:3])
hypcse.HypCSEClassifier(n_epochs=1).fit(X, [0, *[-1] * 29, 1, *[-1] * 29]).predict(X)
hypcse.plot.disk(model, y), hypcse.plot.dendrogram(model, y), hypcse.plot.history(model)
hypcse.view(model, sys.argv[1])
"""


def test_training_plots_and_the_page_are_silent(tmp_path):
    """With all warnings shown, those that Python hides by default included."""
    found = subprocess.run(
        [sys.executable, "-W", "default", "-c", SCRIPT, str(tmp_path / "page.html")],
        env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("name", ["average-linkage", "complete-linkage"])
def test_a_table_that_looks_like_distances(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert methods.run(name, np.array([[0.0, 1.0], [1.0, 0.0]])).n_leaves == 2
