"""One progress, one rule to stop, one bar: the same laws wherever a callback is taken."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import hypcse
from hypcse import EntropyClustering, HypCSE, HypCSEClassifier, graph_linkage, methods, refine, similarity_graph
from hypcse import _progress as bar
from hypcse._progress import Callback, Progress, Stopped
from hypcse.methods import MethodClustering
from hypcse.neural.training.config import Setup, TrainingConfig, TrainingOptions
from hypcse.neural.training.loop import fit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) + 4 * RNG.integers(0, 3, size=(60, 1))
Y = np.where(np.arange(60) < 30, np.arange(60) % 3, -1)
GRAPH = similarity_graph(X)
FEATURES = X.astype(np.float32)
SMALL = {"n_epochs": 4, "hidden_dim": 8, "embed_dim": 4, "projection_dim": 4}
IMPATIENT = TrainingConfig(**{**SMALL, "n_epochs": 50}, evaluate_every=1, patience=2, learning_rate=1e-12, dropout=0.0)
QUICK = {"n_epochs": 4, "device": "cpu", "embed_dim": 4, "training": TrainingOptions(hidden_dim=8)}


def method(name: str, **options: Any) -> Callable[[Callback | None], object]:
    return lambda callback: methods.run(name, X, graph=GRAPH, callback=callback, **options)


# Those that keep the best so far.
BEST: dict[str, Callable[[Callback | None], object]] = {
    "refine": lambda callback: refine(graph_linkage(GRAPH, "single"), GRAPH, callback=callback),
    "refine, thorough": lambda callback: refine(graph_linkage(GRAPH), GRAPH, effort="thorough", callback=callback),
    "training": lambda callback: fit(Setup(FEATURES, GRAPH, TrainingConfig(**SMALL)), callback),
    "training, out of patience": lambda callback: fit(Setup(FEATURES, GRAPH, IMPATIENT), callback),
    "ufit": method("ufit"),
    "hyphc": method("hyphc", n_epochs=4, n_triples=2000),
    "fph": method("fph", n_epochs=4, n_internal=12),
    "eph": method("eph", n_epochs=4, n_internal=12),
    "entropy": method("entropy"),
    "hypcse": method("hypcse", n_epochs=4),
    "EntropyClustering": lambda callback: EntropyClustering(callback=callback).fit(X),
    "HypCSE": lambda callback: HypCSE(callback=callback, n_epochs=4, device="cpu").fit(X),
    "HypCSEClassifier": lambda callback: HypCSEClassifier(callback=callback, **QUICK).fit(X, Y),
    "MethodClustering": lambda callback: MethodClustering(
        "fph", options={"n_epochs": 4, "n_internal": 12}, refine=True, callback=callback
    ).fit(X),
}
# Those of which part is no answer.
WHOLE: dict[str, Callable[[Callback | None], object]] = {
    "graph_linkage": lambda callback: graph_linkage(GRAPH, "entropy", callback=callback),
    "EntropyClustering, from entropy linkage": lambda callback: EntropyClustering(
        linkage="entropy", callback=callback
    ).fit(X),
    "MethodClustering, ward": lambda callback: MethodClustering("ward", callback=callback).fit(X),
    **{name: method(name) for name in ("single-linkage", "ward", "bisecting-kmeans", "hdbscan", "hcse")},
    "spec-wrsc": method("spec-wrsc", n_clusters=3),
    "dp-cluster-hsbm": method("dp-cluster-hsbm", n_blocks=3),
}


@pytest.fixture(autouse=True)
def in_parts(monkeypatch):
    """Work that is done in one part on so few points is done in several."""
    monkeypatch.setattr("hypcse.methods.linkages._POINTS", 10)
    for module in ("methods.linkages", "kernels.linkage.stretching"):
        monkeypatch.setattr(f"hypcse.{module}._PART", 10)


@pytest.mark.parametrize("name", [*BEST, *WHOLE])
def test_reports_go_forward_and_end_complete(name):
    """Each stage is told once, in order, and ends with all of it done; values never rise, and answers other than True
    change nothing."""
    seen: list[Progress] = []
    (BEST | WHOLE)[name](lambda progress: seen.append(progress) or "go on")
    assert seen and {type(progress) for progress in seen} == {Progress}
    stages = [(stage, list(told)) for stage, told in groupby(seen, key=lambda progress: progress.stage)]
    assert len({stage for stage, _ in stages}) == len(stages)
    for _, told in stages:
        assert all(before.done <= after.done for before, after in pairwise(told))
        assert all(0 <= progress.done <= progress.total for progress in told)
        assert told[-1].done == told[-1].total and told[-1].share == 1
        values = [progress.value for progress in told if progress.value is not None]
        assert values == sorted(values, reverse=True)
    assert all(progress.seconds >= 0 and (progress.value is None or progress.measure) for progress in seen)


@pytest.mark.parametrize("name", BEST)
@pytest.mark.parametrize("answer", [True, np.True_])
def test_true_stops_with_the_best_so_far(name, answer):
    seen: list[Progress] = []
    whole: list[Progress] = []
    assert BEST[name](lambda progress: seen.append(progress) or answer) is not None
    BEST[name](whole.append)
    # Stages that follow begin, and are stopped too.
    assert 0 < len(seen) < len(whole)


@pytest.mark.parametrize("name", WHOLE)
def test_true_stops_what_has_no_part_by_an_error(name):
    seen: list[Progress] = []
    with pytest.raises(Stopped, match="stopped by its callback"):
        WHOLE[name](lambda progress: seen.append(progress) or True)
    # The end of a stage, where nothing is left to stop, is not stopped at.
    assert all(one.done == one.total for one in seen[:-1]) and issubclass(Stopped, TimeoutError)


@pytest.mark.parametrize("linkage", ["average", "paris", "single", "multilevel"])
def test_linkages_that_are_done_at_once_report_their_end(linkage):
    seen: list[Progress] = []
    assert graph_linkage(GRAPH, linkage, callback=lambda p: seen.append(p) or True) == graph_linkage(GRAPH, linkage)
    assert [(p.stage, p.done, p.total) for p in seen] == [("merges", 59, 59)]


def models(**options: Any) -> list[Any]:
    return [
        EntropyClustering(**options),
        MethodClustering("ward", refine=True, **options),
        HypCSE(n_epochs=4, device="cpu", **options),
        HypCSEClassifier(**QUICK, **options),
    ]


@pytest.mark.parametrize("k", range(4))
def test_verbose_writes_a_few_plain_lines_where_there_is_no_terminal(k, capsys):
    """And its last has the entropy of the tree that is kept; verbose=0 writes nothing, and no model is changed."""
    quiet, told = models()[k], models(verbose=1)[k]
    quiet.fit(X, Y)
    assert capsys.readouterr() == ("", "")
    told.fit(X, Y)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and 2 <= len(lines) <= 4 and "\x1b" not in err and "\r" not in err
    assert f"entropy {told.entropy_:.4f}" in lines[-1]
    assert all(line.startswith(f"{type(told).__name__}: ") for line in lines)
    assert told.tree_ == quiet.tree_ and told.callback is None


def test_verbose_draws_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(bar, "can_draw", lambda console: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    model = EntropyClustering(verbose=1).fit(X)
    err = capsys.readouterr().err
    assert "EntropyClustering, descent" in err and "━" in err
    assert f"EntropyClustering: entropy {model.entropy_:.4f}, 60 points" in err.splitlines()[-1]


def test_a_notebook_without_widgets_gets_lines(monkeypatch):
    """rich would warn, and show nothing."""
    console = Console(force_jupyter=True)
    monkeypatch.setattr(bar, "find_spec", lambda name: None)
    assert not bar.can_draw(console)
    monkeypatch.setattr(bar, "find_spec", lambda name: object())
    assert bar.can_draw(console)


def test_a_fit_that_fails_leaves_no_bar_and_no_last_line(capsys):
    def fail(progress: Progress) -> None:
        raise KeyError(progress.stage)

    with pytest.raises(KeyError):
        EntropyClustering(verbose=1, callback=fail).fit(X)
    assert "points" not in capsys.readouterr().err


def test_lines_come_at_a_limited_rate(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bar.time, "monotonic", lambda: now[0])
    with bar.draw_bar("work", lines=True) as told:
        for done in range(1, 201):
            now[0] += 1.0
            told(Progress("merges", done, 200))
        told.close("over")
    assert capsys.readouterr().err.splitlines() == [
        "work: merges 61 of 200",
        "work: merges 122 of 200",
        "work: merges 183 of 200",
        "work: merges 200 of 200",
        "work: over",
    ]


def test_callback_has_one_name():
    """Wherever one is taken, the parameter is called `callback`, and its docstring says how to stop."""
    for taken in (refine, graph_linkage, methods.run, hypcse.datasets.load, fit, *map(type, models())):
        assert "callback" in signature(taken).parameters
        text = " ".join(str(taken.__doc__).split()).lower()
        assert "return true to stop" in text and "`progress`" in text
