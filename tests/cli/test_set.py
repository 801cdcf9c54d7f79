"""`--set NAME=VALUE`: options of methods as a person types them."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pytest

import hypcse
from hypcse import methods
from hypcse.cli.settings import format_value, parse_value, read_options, settable
from hypcse.neural.training.config import TrainingOptions

METHODS = {name: methods.describe(name) for name in methods.available()}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        ("inf", math.inf),
        ("true", True),
        ("False", False),
        ("none", None),
        ("None", None),
        ("unit", "unit"),
        ("", ""),
        ("__import__('os').getcwd()", "__import__('os').getcwd()"),
        ("[1]", "[1]"),
    ],
)
def test_values_are_read_and_never_run(text, value):
    assert parse_value(text) == value and type(parse_value(text)) is type(value)


@pytest.mark.parametrize("name", METHODS)
def test_every_default_can_be_set(name):
    """What the list of methods shows is what `--set` takes, and gives the default back."""
    options = settable(METHODS[name])
    words = [f"{option.name}={format_value(option.default)}" for option in options]
    assert read_options(words, METHODS[name]) == {option.name: option.default for option in options}


@pytest.mark.parametrize("name", METHODS)
def test_every_option_says_what_it_takes(name):
    """No option but one of text takes any text."""
    for option in settable(METHODS[name]):
        if option.kind is str or str in getattr(option.kind, "__args__", ()):
            continue
        with pytest.raises(ValueError, match=f"--set {option.name}=so so: {option.name} takes .*; by default"):
            read_options([f"{option.name}=so so"], METHODS[name])


def test_types_decide_how_a_text_is_read():
    assert read_options(["released=1", "n_clusters=3"], METHODS["spec-wrsc"]) == {"released": True, "n_clusters": 3}
    assert read_options(["temperature=2"], METHODS["hyphc"]) == {"temperature": 2}
    assert read_options(["learner=none", "dropout=none"], METHODS["hypcse"]) == {"learner": None, "dropout": None}
    assert read_options(["start = unit"], METHODS["fph"]) == {"start": "unit"}


@pytest.mark.parametrize(
    ("method", "words", "told"),
    [
        (
            "spec-wrsc",
            ["n_cluster=3"],
            "spec-wrsc has no option 'n_cluster'. Did you mean 'n_clusters'? Its options are",
        ),
        ("average-linkage", ["depth=3"], "average-linkage has no option 'depth'. It has none."),
        ("spec-wrsc", ["n_clusters"], "--set 'n_clusters' is not NAME=VALUE"),
        ("spec-wrsc", ["=3"], "--set '=3' is not NAME=VALUE"),
        ("spec-wrsc", ["n_init=3", "n_init=4"], "--set gives n_init twice, '3' and '4'"),
        ("spec-wrsc", ["released=no"], "--set released=no: released takes true or false; by default false."),
        ("spec-wrsc", ["n_clusters=2.5"], "n_clusters takes a whole number or none; by default none."),
        ("dp-cluster-hsbm", ["inner=ward"], "inner takes random or average; by default random."),
        ("hypcse", ["checkpoint_dir=here"], "--set checkpoint_dir: the command sets it itself."),
    ],
)
def test_wrong_settings_are_told(method, words, told):
    with pytest.raises((TypeError, ValueError)) as error:
        read_options(words, METHODS[method])
    assert told in str(error.value)


@pytest.fixture
def points(tmp_path):
    """Thirty points in three groups, also in a file."""
    X = np.random.default_rng(0).normal(size=(30, 3)) + 6 * np.repeat(np.arange(3), 10)[:, None]
    np.save(tmp_path / "points.npy", X)
    return X


@pytest.fixture
def fit(points, command):
    """Run `hypcse fit` on them."""
    return partial(command, "fit", "points.npy", "--out", "found")


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("hdbscan", {"min_samples": 2}),
        ("spec-wrsc", {"n_clusters": 5, "released": True}),
        ("dp-cluster-hsbm", {"n_blocks": 3, "inner": "average"}),
    ],
)
def test_settings_reach_the_method(fit, points, tmp_path, method, options):
    words = [word for name, value in options.items() for word in ("--set", f"{name}={format_value(value)}")]
    result = fit("--method", method, "--no-refine", *words)
    assert result.returncode == 0, result.stderr
    expected = methods.run(method, points, **options)
    assert np.array_equal(np.load(tmp_path / "found" / "linkage.npy"), expected.to_linkage())
    assert not np.array_equal(methods.run(method, points).to_linkage(), expected.to_linkage())
    report = json.loads((tmp_path / "found" / "scores.json").read_text())
    assert report["job"]["settings"] == words[1::2]


def test_a_refined_tree_is_not_called_the_methods_own(fit):
    assert "spec-wrsc, refined" in fit("--method", "spec-wrsc").stdout
    assert "spec-wrsc, refined" not in fit("--method", "spec-wrsc", "--no-refine", "--overwrite").stdout


def test_settings_reach_the_estimator(fit, points, tmp_path):
    result = fit("--method", "hypcse", "--epochs", "1", "--set", "embed_dim=3", "--set", "dropout=0.1")
    assert result.returncode == 0, result.stderr
    model = hypcse.HypCSE.load(tmp_path / "found" / "model")
    assert (model.embed_dim, model.training.dropout, model.n_epochs) == (3, 0.1, 1)
    same = hypcse.HypCSE(embed_dim=3, n_epochs=1, training=TrainingOptions(dropout=0.1)).fit(points)
    assert np.array_equal(model.embedding_, same.embedding_)


def test_shorthands_reach_every_method_that_has_the_option(fit, tmp_path):
    result = fit("--method", "hyphc", "--epochs", "3", "--no-refine")
    assert result.returncode == 0, result.stderr
    assert methods.MethodClustering.load(tmp_path / "found" / "model").options == {"n_epochs": 3}


def test_settings_reach_the_front_door(fit, points, tmp_path):
    result = fit("--set", "linkage=paris", "--set", "metric=cosine", "--clusters", "2")
    assert result.returncode == 0, result.stderr
    model = hypcse.EntropyClustering.load(tmp_path / "found" / "model")
    expected = hypcse.EntropyClustering(2, linkage="paris", metric="cosine").fit(points)
    assert model.linkage == "paris" and model.tree_ == expected.tree_
    assert np.array_equal(model.labels_, expected.labels_) and model.labels_.max() == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--method", "hdbscan", "--set", "min_sample=3"), "Did you mean 'min_samples'?"),
        (("--method", "hypcse", "--set", "n_epochs=3", "--epochs", "2"), "--epochs 2 and --set n_epochs=... both"),
        (("--method", "ward", "--epochs", "3"), "--epochs sets n_epochs, which ward does not have."),
        (("--preset", "paper"), "--preset sets preset, which entropy does not have."),
        (("--device", "cpu"), "--device sets device"),
        (("--resume",), "--resume: entropy cannot be resumed."),
        (("--method", "spec-wrsc", "--set", "max_seconds=1e-9"), "spec-wrsc was stopped"),
        (("--method", "hdbscan", "--set", "min_samples=0"), "min_samples=0 must be at least 1"),
        (("--method", "dp-cluster-hsbm", "--set", "n_blocks=300"), "n_blocks=300 must be between 1 and 29"),
    ],
)
def test_a_wrong_setting_is_one_line_and_leaves_nothing(fit, tmp_path, words, told):
    result = fit(*words)
    assert result.returncode == 2
    assert told in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["points.npy"]


@pytest.mark.parametrize(
    ("words", "shown_text"),
    [
        (("--method", "bisecting-kmeans"), "bisecting-kmeans, splits"),
        (("--method", "ufit", "--set", "n_epochs=7"), "ufit, training 7 of 7"),
    ],
)
def test_progress_of_methods_is_shown_on_a_terminal(fit, monkeypatch, words, shown_text):
    assert fit(*words, "--no-refine").stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = fit(*words, "--no-refine", "--overwrite")
    assert result.returncode == 0 and shown_text in result.stderr


def test_the_list_names_every_option(command):
    text = command("methods").stdout
    for method in METHODS.values():
        assert all(f"{option.name}={format_value(option.default)}" in text for option in settable(method))
    assert "checkpoint_dir" not in text
