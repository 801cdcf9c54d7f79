"""`EntropyClustering`: the search as an estimator, without torch."""

from __future__ import annotations

import subprocess
import sys
import warnings
from inspect import signature
from typing import get_args

import hypothesis
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from joblib import Parallel, delayed
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hypcse
from hypcse import EntropyClustering, HypCSE, HypcseWarning, Points
from hypcse._choices import Scale
from hypcse.methods import MethodClustering
from hypcse.points.cells import points_of_cells
from hypcse.storage.archive import ModelFileError


@parametrize_with_checks([EntropyClustering(), MethodClustering("ward")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def blobs(n=90, seed=0):
    return make_blobs(n, centers=[[0, 0, 0], [9, 0, 0], [0, 9, 0]], random_state=seed)


def by_hand(X, **options):
    """What the search finds, step by step."""
    graph = hypcse.similarity_graph(X, **options)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    return hypcse.join_components(tree, graph, X, bridges=True), graph


def test_it_is_the_engine():
    X, y = hypcse.datasets.load("optical-digits")
    model = EntropyClustering().fit(X)
    tree, graph = by_hand(X)
    assert model.tree_ == tree and model.graph_ == graph
    assert model.entropy_ == hypcse.structural_entropy(tree, graph)
    assert adjusted_rand_score(model.labels_, hypcse.levels(tree, graph)[hypcse.main_level(tree, graph)]) == 1
    assert adjusted_rand_score(model.labels_, y) > 0.8
    assert np.array_equal(model.linkage_matrix_, tree.to_linkage()) and model.children_.shape == (len(X) - 1, 2)
    assert len(model.stability_) == len(model.levels_)


def test_the_signature_is_the_promised_one():
    found = {name: one.default for name, one in signature(EntropyClustering).parameters.items()}
    assert found == {
        "n_clusters": None,
        "min_cluster_size": None,
        "mark_outliers": False,
        "n_neighbors": 10,
        "bandwidth": "auto",
        "scale": "minmax",
        "metric": "euclidean",
        "linkage": "average",
        "refine": "fast",
        "random_state": 0,
        "callback": None,
        "n_jobs": None,
        "verbose": 0,
    }


def test_every_input(tmp_path):
    X, y = blobs()
    graph = hypcse.similarity_graph(X)
    frame = pd.DataFrame(X, columns=list("abc"), index=[f"p{k}" for k in range(90)])
    G = nx.Graph()
    G.add_weighted_edges_from((f"v{i}", f"v{j}", w) for i, j, w in zip(*graph.edges(), strict=True))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    for given, options in (
        ((X,), {}),
        ((frame,), {}),
        ((sparse.csr_array(X),), {}),
        ((graph,), {}),
        ((graph.to_scipy(),), {}),
        ((G,), {}),
        ((X, None, graph), {}),
        ((Points(X, names=tuple(map(str, range(90)))),), {}),
        ((distances,), {"metric": "precomputed", "bandwidth": "median"}),
        ((Points(distances=distances),), {"metric": "precomputed", "bandwidth": "median"}),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", hypcse.HypcseWarning)
            model = EntropyClustering(3, **options).fit(*given)
        assert bool(told) == graph_alone(given[0])
        order = [int(name[1:]) for name in model.tree_.names] if isinstance(given[0], nx.Graph) else slice(None)
        assert adjusted_rand_score(model.labels_, y[order]) == 1
    assert EntropyClustering().fit(frame).tree_.names == tuple(frame.index)
    assert EntropyClustering().fit(frame).feature_names_in_.tolist() == ["a", "b", "c"]
    assert EntropyClustering().fit(Points.of(frame)).feature_names_in_.tolist() == ["a", "b", "c"]


def graph_alone(given):
    """Whether nothing says how far apart the three groups are."""
    return not isinstance(given, np.ndarray | pd.DataFrame | Points) and not (
        sparse.issparse(given) and given.shape[1] == 3
    )


def test_distances_in_points_are_distances():
    """However they come, and whatever `metric` says of features."""
    X, _ = blobs()
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    wanted = EntropyClustering(metric="precomputed", bandwidth="median").fit(distances).tree_
    for points, metric in (
        (Points(distances=distances), "euclidean"),
        (Points(distances=squareform(distances, checks=False)), "euclidean"),
        (Points(distances), "precomputed"),
    ):
        assert EntropyClustering(metric=metric, bandwidth="median").fit(points).tree_ == wanted
    with pytest.raises(ValueError, match="nothing to cluster"):
        EntropyClustering().fit(Points(names=("a", "b")))
    with pytest.raises(ValueError, match="distances of 5 points for 90 rows"):
        Points(X, distances=np.ones((5, 5)))


def test_cosine_points_take_new_ones_by_direction():
    """However long a new row is; and each with the weights of the similarity graph."""
    X = np.abs(blobs()[0]) + 0.1
    model = EntropyClustering(n_clusters=3, metric="cosine", scale="none", bandwidth="median").fit(X[::2])
    assert np.array_equal(model.predict(X[::2]), model.labels_)
    assert np.array_equal(model.predict(X), model.predict(X * np.linspace(0.1, 10, len(X))[:, None]))
    for row in X[1::2]:
        apart = cdist(row[None], X[::2], "cosine")[0]
        near = np.argsort(apart)[:10]
        weights = np.bincount(model.labels_[near], np.exp(-((apart[near] / model.bandwidth_) ** 2)), minlength=3)
        assert weights[model.predict(row[None])[0]] == pytest.approx(weights.max(), rel=1e-3)


def test_a_row_of_zeros_is_an_outlier_under_cosine(tmp_path):
    """It is at distance 1 from all others, told, and the others are clustered much as without it."""
    X = np.vstack([np.abs(blobs()[0]) + 0.1, np.zeros((1, 3))])
    options = {"metric": "cosine", "scale": "none", "bandwidth": "median"}
    with pytest.warns(HypcseWarning, match=rf"1 row .* only zeros.* row {len(X) - 1}\."):
        model = EntropyClustering(**options).fit(X)
    assert model.outlier_scores_.argmax() == len(X) - 1
    without = EntropyClustering(**options).fit(X[:-1])
    assert model.structure_.word == without.structure_.word
    assert adjusted_rand_score(model.labels_[:-1], without.labels_) > 0.9
    model.save(tmp_path / "model")
    for fitted in (model, without, EntropyClustering.load(tmp_path / "model")):
        with pytest.warns(HypcseWarning, match="1 row .* only zeros"):
            assert fitted.predict(X[[3, -1]])[0] == fitted.labels_[3]


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, pd.DataFrame, sparse.csr_array, Points])
@pytest.mark.parametrize(("value", "what"), [(np.nan, "missing, NaN"), (np.inf, "infinite, inf")])
def test_a_missing_number_names_its_column_and_the_way_out(form, value, what):
    X, _ = blobs()
    model = EntropyClustering().fit(X)
    X[[3, 5], 1] = value
    for use in (model.fit, *([] if form is Points else [model.predict])):
        with pytest.raises(
            ValueError, match=rf"^column 1 of X has 2 values {what}, the first in row 3\. .* hypcse\.read"
        ):
            use(form(X))
    if value is np.nan:
        assert np.isfinite(EntropyClustering().fit(hypcse.read(pd.DataFrame(X))).outlier_scores_).all()


@pytest.mark.parametrize("take", [EntropyClustering().fit, Points.of, hypcse.similarity_graph])
def test_the_name_of_a_file_is_no_table(take):
    with pytest.raises(TypeError, match=r"pass hypcse\.read\('cars\.csv'\)"):
        take("cars.csv")


def test_a_second_fit_forgets_the_first():
    anndata = pytest.importorskip("anndata")
    X, _ = blobs()
    model = EntropyClustering().fit(X[:, :2])
    adata = anndata.AnnData(X.astype(np.float32))
    model.fit(adata)
    assert model.n_features_in_ == 3 and np.array_equal(model.predict(adata), model.labels_)


def test_frames_with_texts_are_told_the_way():
    frame = pd.DataFrame({"a": [1.0, 2.0], "kind": ["x", "y"], "day": pd.to_datetime(["2024-01-01", "2024-01-02"])})
    with pytest.raises(ValueError, match="'kind', 'day'.*hypcse.read"):
        EntropyClustering().fit(frame)


def test_nodes_name_the_rows_of_an_array():
    X, _ = blobs()
    G = nx.relabel_nodes(nx.cycle_graph(90), {k: f"v{k}" for k in range(90)})
    assert EntropyClustering().fit(X, graph=G).tree_.names == tuple(G)


def test_seeds():
    X = blobs()[0]
    first = EntropyClustering(random_state=np.random.RandomState(3)).fit(X)
    assert first.tree_ == EntropyClustering(random_state=np.random.RandomState(3)).fit(X).tree_
    assert first._seed == np.random.RandomState(3).randint(2**31)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    seeds = {EntropyClustering(random_state=None).fit(X)._seed for _ in range(3)}
    assert len(seeds) == 3 and np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert EntropyClustering(random_state=np.random.default_rng(1)).fit(X)._seed >= 0
    with pytest.raises(ValueError, match="random_state='a'"):
        EntropyClustering(random_state="a").fit(X)


def test_the_company_it_keeps():
    """A pipeline, a clone, a grid search with a scorer, and processes of joblib."""
    X, y = blobs()
    labels = make_pipeline(StandardScaler(), EntropyClustering(3)).fit_predict(X)
    assert adjusted_rand_score(labels, y) == 1
    model = EntropyClustering(n_neighbors=5).fit(X)
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "tree_")
    search = GridSearchCV(
        EntropyClustering(3),
        {"n_neighbors": [5, 10]},
        cv=2,
        scoring=lambda m, X, y: adjusted_rand_score(m.predict(X), y),
    ).fit(X, y)
    assert search.best_score_ == 1
    found = Parallel(n_jobs=2)(delayed(EntropyClustering(k).fit_predict)(X) for k in (2, 3))
    assert [labels.max() + 1 for labels in found] == [2, 3]


def test_new_points_and_saving(tmp_path):
    X, _ = blobs()
    other, truth = blobs(30, seed=1)
    for model in (EntropyClustering(3), MethodClustering("ward", 3), MethodClustering("hdbscan", refine="fast")):
        model.fit(X)
        model.save(tmp_path / "model", overwrite=True)
        loaded = type(model).load(tmp_path / "model")
        assert loaded.get_params() == model.get_params() and loaded.tree_ == model.tree_
        assert np.array_equal(loaded.predict(other), model.predict(other))
        assert np.array_equal(loaded.places(other), model.places(other))
        assert adjusted_rand_score(loaded.predict(other), truth) == 1
        with pytest.raises(ModelFileError, match="HypCSE.load cannot read"):
            HypCSE.load(tmp_path / "model")


def test_columns_of_texts_keep_their_weight_in_saved_models(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=40), "kind": rng.choice(["a", "b", "c"], 40)})
    points = hypcse.read(frame, categorical=["kind"])
    model = EntropyClustering().fit(points)
    weights = model._scaler.weights
    assert weights[0] == 1 and weights[1:].max() < 0.5
    model.save(tmp_path / "model")
    loaded = EntropyClustering.load(tmp_path / "model")
    assert np.array_equal(loaded._scaler.weights, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(loaded.predict(points), model.labels_)
        # A new table with fewer texts, one of them unknown, and its columns in another order.
        some = pd.DataFrame({"kind": ["b", "d"], "size": frame["size"][:2]})
        new = hypcse.read(some, categorical=["kind"])
        assert new.feature_names == ("kind=b", "kind=d", "size") and loaded.predict(new).shape == (2,)
    with pytest.raises(ValueError, match="no column 'kind'"):
        loaded.predict(hypcse.read(frame[["size"]]))
    with pytest.raises(ValueError, match="no column 'size'"):
        loaded.predict(hypcse.read(frame[["kind"]], categorical=["kind"]))
    with pytest.raises(ValueError, match="'age' is not among"):
        loaded.predict(hypcse.read(frame.assign(age=frame["size"] * 2), categorical=["kind"]))


def test_one_point_two_points_and_copies():
    assert EntropyClustering().fit([[1.0]]).labels_.tolist() == [0]
    assert EntropyClustering(2).fit([[1.0], [2.0]]).labels_.tolist() == [0, 1]
    assert EntropyClustering().fit(np.ones((20, 2))).labels_.max() == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"linkage": "ward"}, "linkage='ward' is not known"),
        ({"refine": "hard"}, "refine='hard' is not known"),
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"scale": "log"}, "scale='log'"),
        ({"bandwidth": -1.0}, "bandwidth=-1.0"),
    ],
)
def test_parameters_that_do_not_do(options, text):
    with pytest.raises(ValueError, match=text):
        EntropyClustering(**options).fit(blobs()[0])


def test_a_failed_fit_leaves_the_model_as_it_was():
    X = blobs()[0]
    model = EntropyClustering(3).fit(X)
    before = model.labels_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((5, 2), np.nan))
    assert model.labels_ is before and model.n_features_in_ == 3


@pytest.mark.parametrize("options", [{"scale": scale} for scale in get_args(Scale)] + [{"metric": "precomputed"}])
@hypothesis.given(seed=st.integers(0, 99), power=st.integers(-30, 30))
@hypothesis.settings(max_examples=5, deadline=None)
def test_the_unit_of_the_features_changes_nothing(options, seed, power):
    """All that is found is the same to the last bit when everything is multiplied by a power of two."""
    X = blobs()[0] + np.random.default_rng(seed).normal(size=(1, 1))
    X = pdist(X) if "metric" in options else X
    factor = 2.0**power
    one, other = EntropyClustering(**options).fit(X), EntropyClustering(**options).fit(X * factor)
    assert one.graph_ == other.graph_ and one.structure_ == other.structure_
    assert np.array_equal(one.labels_, other.labels_) and np.array_equal(one.levels_, other.levels_)
    has_unit = options.get("scale", "none") == "none"
    assert other.bandwidth_ == one.bandwidth_ * (factor if has_unit else 1)
    if "metric" not in options:
        new = blobs()[0][::5] + 0.1
        assert np.array_equal(one.predict(new), other.predict(new * factor))


@hypothesis.given(seed=st.integers(0, 99), n_clusters=st.none() | st.integers(1, 30))
@hypothesis.settings(max_examples=20, deadline=None)
def test_clusters_are_numbered_by_size(seed, n_clusters):
    """The largest first, the smallest leaf first among equals, in the labels and at every level."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) + 9 * rng.geometric(0.4, size=(80, 1))
    model = EntropyClustering(n_clusters, mark_outliers=seed % 2 == 0).fit(X)
    for labels in (model.labels_, *model.levels_):
        _, first, sizes = np.unique(labels[labels >= 0], return_index=True, return_counts=True)
        assert (np.diff(sizes) <= 0).all() and (np.diff(first)[np.diff(sizes) == 0] > 0).all()


def test_without_structure_there_is_a_level_to_look_at():
    X = np.random.default_rng(0).uniform(size=(200, 3))
    model = EntropyClustering().fit(X)
    assert not model.structure_.found and model.labels_.max() == 0
    by_hand = hypcse.levels(model.tree_, model.graph_, X)[hypcse.main_level(model.tree_, model.graph_, X)]
    assert adjusted_rand_score(model.levels_[model.levels_.main], by_hand) == 1
    assert EntropyClustering(3).fit(X).labels_.max() == 2


def test_without_anything_to_compare_there_is_no_bandwidth():
    X = blobs()[0]
    graph = hypcse.similarity_graph(X, 60)
    assert EntropyClustering().fit(graph).bandwidth_ is None
    assert EntropyClustering().fit(X, graph=graph).bandwidth_ == 1.0


def test_cells_are_taken_as_they_are():
    """Principal components keep their scale, and the width is their largest distance: as `cells.hierarchy` has it."""
    anndata = pytest.importorskip("anndata")
    X, _ = blobs()
    adata = anndata.AnnData(X.astype(np.float32), obsm={"X_pca": X})
    model = EntropyClustering(3).fit(adata)
    expected = hypcse.similarity_graph(X, 10, "auto", "none")
    assert model.graph_ == expected and points_of_cells(adata)[1] == "X_pca"
    assert hypcse.cells.hierarchy(adata) == EntropyClustering().fit(adata).tree_
    params = adata.uns["hypcse"]["params"]
    assert params["scale"] == "none" and params["bandwidth"] == model.bandwidth_ and params["n_neighbors"] == 10


def test_what_training_does_not_add():
    """The same contract: every attribute of the one is one of the other."""
    X = blobs()[0]
    searched, trained = EntropyClustering().fit(X), HypCSE(n_epochs=1).fit(X)
    assert {name for name in vars(searched) if name.endswith("_")} < {
        name for name in vars(trained) if name.endswith("_")
    }
    assert set(searched.get_params()) - {"linkage"} < set(trained.get_params())


WITHOUT_TORCH = """
import importlib.util
import inspect
import pydoc
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "geoopt"):
            raise ModuleNotFoundError(f"No module named {name!r}")

usual = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "torch" else usual(name)
sys.meta_path.insert(0, Blocked())
import numpy as np
import hypcse
from hypcse.cli.app import app

assert "fit_predict" in pydoc.render_doc(hypcse, renderer=pydoc.plaintext)
assert "HypCSE" not in dict(inspect.getmembers(hypcse))

X, y = hypcse.datasets.load("optical-digits")
X, y = X[:200], y[:200]
model = hypcse.EntropyClustering().fit(X)
model.save("model")
assert (hypcse.EntropyClustering.load("model").predict(X) == model.labels_).all()
tree = hypcse.methods.run("ward", X)
hypcse.score(tree, graph=hypcse.similarity_graph(X), labels=y)
hypcse.stability(model.levels_, model.graph_, X)
hypcse.spread_labels(model.tree_, np.where(np.arange(200) < 50, y, -1))
hypcse.search.spanning_tree(X)
hypcse.view(model, "tree.html", X)
np.save("X.npy", X)
app(["fit", "X.npy", "--out", "found"], standalone_mode=False)
app(["methods"], standalone_mode=False)
for act in (
    lambda: hypcse.HypCSE,
    lambda: hypcse.HypCSEClassifier,
    lambda: hypcse.cse_loss,
    lambda: hypcse.methods.run("hyphc", X),
    lambda: app(["fit", "X.npy", "--out", "trained", "--method", "hypcse"], standalone_mode=False),
):
    try:
        act()
    except ImportError as error:
        assert 'pip install "hypcse[train]"' in str(error), error
    else:
        raise AssertionError("it needs torch")
assert "torch" not in sys.modules
print("done")
"""


def test_the_search_runs_without_torch(tmp_path):
    ran = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.endswith("done\n"), ran.stderr


def test_torch_is_an_extra():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert not any(name.startswith(("torch", "geoopt")) for name in project["dependencies"])
    assert any(name.startswith("torch") for name in project["optional-dependencies"]["train"])
    assert project["optional-dependencies"]["dev"][0] == "hypcse[all]"
