"""What `hypcse fit` says about structure and stability."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from hypcse import HypCSE
from hypcse._checks import HypcseWarning
from hypcse.cli.app import app


@pytest.fixture
def fit(tmp_path):
    """Run the command on a table; what it printed, what it wrote, and the folder."""

    def run(X, *options):
        np.save(tmp_path / "X.npy", X)
        out = tmp_path / "out"
        result = CliRunner().invoke(app, ["fit", str(tmp_path / "X.npy"), "--out", str(out), *options])
        assert result.exit_code == 0, result.output
        return result.output, json.loads((out / "scores.json").read_text()), out

    return run


def blobs():
    return make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)[0]


def noise():
    return np.random.default_rng(0).uniform(size=(90, 3))


def test_clear_clusters(fit):
    text, report, out = fit(blobs())
    assert report["structure"]["word"] == "clear" and report["structure"]["found"]
    assert "Clear structure beyond chance" in text
    assert len(report["stability"]) == len(report["levels"])
    assert report["stability"][report["main_level"] - 1] > 0.9 and "3 (1.00)" in text
    assert "stability" in (out / "tree.html").read_text()


def test_noise_is_one_cluster_and_the_text_says_why(fit):
    text, report, out = fit(noise())
    assert report["clusters"] == 1 and report["levels"][0] == 1 and report["main_level"] > 1
    assert not report["structure"]["found"] and "No structure beyond chance" in text
    assert "All points are one cluster" in text and f"level {report['main_level']} of" in text
    assert f'"main":{report["main_level"] - 1}' in (out / "tree.html").read_text()
    with (out / "labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["label"] for row in rows} == {"0"} and len({row["level_2"] for row in rows}) > 1


def test_a_number_of_clusters_is_kept_in_noise_too(fit):
    assert fit(noise(), "--clusters", "4")[1]["clusters"] == 4


def test_stability_can_be_left_out(fit):
    text, report, _ = fit(blobs(), "--no-stability")
    assert report["stability"] is None and "their stability" not in text
    assert f"Levels by number of clusters: {', '.join(map(str, report['levels']))}." in text


def test_one_cluster_has_no_stability_to_tell(fit):
    text, report, _ = fit(np.ones((30, 2)))
    assert report["levels"] == [1] and "(1.00)" not in text


def test_the_model_of_the_folder_says_the_same(fit):
    _, report, out = fit(noise(), "--method", "hypcse", "--epochs", "0")
    model = HypCSE.load(out / "model")
    assert model.structure_.word == report["structure"]["word"] == "none"
    assert model.labels_.max() == 0 and [int(level.max()) + 1 for level in model.levels_] == report["levels"]
    assert model._stability.round(4).tolist() == report["stability"]


def test_the_model_of_the_folder_links_new_points_by_the_bandwidth_of_its_graph(fit):
    """Also where the one asked for is too small to compute with."""
    X = blobs()
    with pytest.warns(HypcseWarning, match="is used instead"):
        expected = HypCSE(n_epochs=0, bandwidth=0.0001).fit(X)
    with pytest.warns(HypcseWarning, match="is used instead") as told:
        _, _, out = fit(X, "--method", "hypcse", "--epochs", "0", "--bandwidth", "0.0001")
    assert len([warning for warning in told if warning.category is HypcseWarning]) == 1
    model = HypCSE.load(out / "model")
    assert model.bandwidth_ == expected.bandwidth_ > 0.001
    assert model.graph_ == expected.graph_
