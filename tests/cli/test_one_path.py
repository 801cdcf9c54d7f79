"""One input, one meaning: `fit`, `score`, `compare` and `view` see the same points."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

import hypcse
from hypcse.methods import MethodClustering


@pytest.fixture
def blobs():
    return make_blobs(60, centers=[[0, 0, 0], [9, 0, 0], [0, 9, 0]], random_state=0)


def scores(command, tmp_path, file, *columns):
    """What fit, score and compare say of one file."""
    assert command("fit", file, "--out", "found", *columns, "--overwrite").returncode == 0
    fitted = json.loads((tmp_path / "found" / "scores.json").read_text())["scores"]
    scored = json.loads(command("score", "found", "--data", file, *columns, "--json").stdout)
    compared = command("compare", file, "--out", "methods", "--method", "entropy", *columns)
    assert compared.returncode == 0, compared.stderr
    record = json.loads((tmp_path / "methods" / "compare.jsonl").read_text().splitlines()[-1])["scores"]
    return fitted, scored, record


def assert_alike(fitted, scored, record):
    for name in ("structural_entropy", "dasgupta_cost", "dendrogram_purity"):
        assert fitted[name] == pytest.approx(scored[name]) == pytest.approx(record[name])


def test_cells_with_a_graph(command, tmp_path, blobs):
    anndata = pytest.importorskip("anndata")
    X, y = blobs
    graph = hypcse.similarity_graph(X, 5, "median", "none")
    # anndata 0.12 writes no string of pandas 3, be it a cell's name.
    with pd.option_context("future.infer_string", False):
        adata = anndata.AnnData(X.astype(np.float32), obsm={"X_pca": X}, obsp={"connectivities": graph.to_scipy()})
        adata.obs["kind"] = [f"k{label}" for label in y]
        adata.write_h5ad(tmp_path / "cells.h5ad")
    assert_alike(*scores(command, tmp_path, "cells.h5ad", "--label-column", "kind"))


def test_texts_ids_and_unknown_classes(command, tmp_path, blobs):
    X, y = blobs
    rows = [
        f"{k + 1},{a},{b},{c},{('no', 'yes', 'yes')[k % 3]},{('blue', 'red')[k % 2]},{f'k{label}' if k % 7 else ''}"
        for k, ((a, b, c), label) in enumerate(zip(X, y, strict=True))
    ]
    (tmp_path / "table.csv").write_text("\n".join(["Id,a,b,c,member,color,kind", *rows]))
    columns = ("--label-column", "kind", "--categorical", "color")
    assert_alike(*scores(command, tmp_path, "table.csv", *columns))
    named = (tmp_path / "found" / "labels.csv").read_text().splitlines()
    assert named[1].startswith("1,") and named[-1].startswith("60,"), "the ids name the rows"
    points = hypcse.read(tmp_path / "table.csv", label_column="kind", categorical=["color"])
    assert points.kinds == (None, None, None, "member", "color", "color") and points.labels[0] is None
    assert command("view", "found", "--data", "table.csv", *columns, "--no-open", "--overwrite").returncode == 0


def test_a_preset_is_one_however_it_is_spelled(command, tmp_path, blobs):
    np.save(tmp_path / "X.npy", blobs[0])
    for name, words in (("short", ("--preset", "paper")), ("long", ("--set", "preset=paper"))):
        ran = command("fit", "X.npy", "--out", name, "--method", "hypcse", "--set", "n_epochs=1", *words)
        assert ran.returncode == 0, ran.stderr
    short, long = (hypcse.HypCSE.load(tmp_path / name / "model") for name in ("short", "long"))
    assert short.refine is long.refine is None and short.tree_ == long.tree_


def test_distances_from_a_file(command, tmp_path, blobs):
    distances = np.linalg.norm(blobs[0][:, None] - blobs[0][None], axis=2)
    np.save(tmp_path / "D.npy", distances)
    ran = command("fit", "D.npy", "--out", "found", "--set", "metric=precomputed", "--bandwidth", "median")
    assert ran.returncode == 0, ran.stderr
    model = hypcse.EntropyClustering.load(tmp_path / "found" / "model")
    assert model.tree_ == hypcse.EntropyClustering(metric="precomputed", bandwidth="median").fit(distances).tree_


def test_any_method_is_a_model(command, tmp_path, blobs):
    np.save(tmp_path / "X.npy", blobs[0])
    assert (
        command("fit", "X.npy", "--out", "found", "--method", "ward", "--clusters", "3", "--no-refine").returncode == 0
    )
    model = MethodClustering.load(tmp_path / "found" / "model")
    assert model.labels_.max() == 2 and np.array_equal(model.predict(blobs[0]), model.labels_)
    with pytest.raises(ValueError, match=r"Call hypcse\.methods\.MethodClustering\.load"):
        hypcse.EntropyClustering.load(tmp_path / "found" / "model")


def test_what_is_known_of_the_leaves_goes_by_name(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"], index=[f"p{k}" for k in range(30)])
    model = hypcse.EntropyClustering().fit(frame)
    one = hypcse.view(model, points=frame, title="t").html
    assert hypcse.view(model, points=frame.iloc[::-1], title="t").html == one
