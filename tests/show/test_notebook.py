"""Trees and estimators show themselves: as one line of text, in a notebook with a picture."""

from __future__ import annotations

import base64
import importlib
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import pyplot, use
from sklearn import config_context
from sklearn.datasets import load_iris

import hypcse
import hypcse.show
from hypcse import EntropyClustering, Graph, HypCSEClassifier, Tree
from hypcse.show import notebook
from strategies import chain

use("Agg")
TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")


@pytest.fixture(scope="module")
def points():
    X, y = load_iris(return_X_y=True)
    return X[::3], np.asarray(y)[::3]


def html_of(value) -> str:
    return value._repr_mimebundle_(include=None, exclude=None)["text/html"]


def pictures_in(text: str) -> list[bytes]:
    return [base64.b64decode(data) for data in re.findall(r'src="data:image/png;base64,([^"]+)"', text)]


def test_text_is_one_line():
    assert repr(chain(2_000)).startswith("Tree(2,000 leaves, 3,999 nodes, binary")
    assert repr(Graph.from_edges(np.arange(1_500), np.arange(1_500) + 1)).startswith(
        "Graph(1,501 vertices, 1,500 edges"
    )


def test_a_tree_shows_a_picture_and_leaves_no_figure():
    (picture,) = pictures_in(html_of(TREE))
    assert picture.startswith(b"\x89PNG")
    assert TREE._repr_mimebundle_()["text/plain"] == repr(TREE)
    assert repr(TREE) in html_of(TREE)
    assert pyplot.get_fignums() == []


def test_trees_of_any_size_are_shown(monkeypatch):
    assert len(pictures_in(html_of(chain(20_000)))) == 1
    assert pictures_in(html_of(Tree([-1], [0.0]))) == []
    assert pictures_in(html_of(chain(notebook.MAX_LEAVES + 1))) == []
    monkeypatch.setattr(notebook, "MAX_COUNTS", 3)
    assert pictures_in(html_of(TREE)) == []


def test_an_estimator_keeps_its_html_and_adds_a_picture(points):
    before = html_of(EntropyClustering(n_neighbors=7))
    assert "n_neighbors" in before and pictures_in(before) == []
    model = EntropyClustering(n_clusters=3).fit(points[0])
    assert len(pictures_in(html_of(model))) == 1
    assert "EntropyClustering" in html_of(model)
    assert model._repr_mimebundle_()["text/plain"] == repr(model) == "EntropyClustering(n_clusters=3)"
    with config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_classifier_shows_its_classes(points, monkeypatch):
    seen = []
    real = notebook.dendrogram
    monkeypatch.setattr(notebook, "dendrogram", lambda *given, **options: seen.append(given) or real(*given, **options))
    model = HypCSEClassifier(random_state=0, n_epochs=2).fit(*points)
    assert len(pictures_in(html_of(model))) == 1
    assert seen[0][1] is model.transduction_


def test_without_matplotlib_there_is_text():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import hypcse\n"
        "print(hypcse.Tree.from_newick('((0,1),2);')._repr_mimebundle_()['text/html'])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "<pre>Tree(3 leaves, 5 nodes, binary, height 2)</pre>"


def test_every_module_is_what_its_name_imports():
    """No function of a package hides the module of its name."""
    for found in pkgutil.walk_packages(hypcse.show.__path__, "hypcse.show."):
        module = importlib.import_module(found.name)
        parent, _, name = found.name.rpartition(".")
        assert getattr(sys.modules[parent], name) is module
