"""The page of deviations, docs/deviations.md: its numbering, and every switch that it names."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
import pytest
import torch

from doc_tables import code_spans, table_rows
from hypcse import HypCSE, similarity_graph
from hypcse.graph import scale_features
from hypcse.neural.training.config import PRESETS, Setup, TrainingConfig
from hypcse.neural.training.run import Run
from hypcse.paper.settings import authors_options
from hypcse.storage.options import nest_options, spread_options

ROWS = table_rows("deviations.md")
SWITCHES = [row[-1] for row in ROWS]
KEYWORD = re.compile(r"(\w+)=(.+)")
CALL = re.compile(r"(hypcse[\w.]*)\.(\w+)(?:\((\w+)=(.+)\))?")


def named_options(mark: str = "") -> set[tuple[str, Any]]:
    """(name, value) of every `name=value` in the last column, of those with the mark where one is given."""
    spans = [span for cell in SWITCHES for span in re.findall(rf"`([^`]+)`{re.escape(mark)}", cell)]
    found = [KEYWORD.fullmatch(span) for span in spans]
    return {(match[1], ast.literal_eval(match[2])) for match in found if match}


def options_of(config: TrainingConfig) -> set[tuple[str, Any]]:
    return set(vars(config).items())


def test_numbers_are_complete() -> None:
    assert [row[0] for row in ROWS] == [str(k) for k in range(1, 26)]


def test_every_row_has_a_switch_or_says_why_not() -> None:
    for cell in SWITCHES:
        reason = cell.startswith(("not needed", "none"))
        assert reason or any(KEYWORD.fullmatch(span) or CALL.fullmatch(span) for span in code_spans(cell)), cell


def test_marks_are_right() -> None:
    """What is marked is all that the preset sets, and what is a default, is the default."""
    assert named_options(" (preset)") == set(PRESETS["paper"].items())
    assert named_options(" (default)") <= options_of(TrainingConfig())


@pytest.mark.parametrize(("name", "value"), sorted(named_options(), key=str))
def test_options_are_parameters_and_their_values_accepted(name: str, value: object) -> None:
    """A model with that value alone trains for an epoch, in two subgraphs."""
    X = np.random.default_rng(0).normal(size=(12, 3))
    options = {"batch_size": 6, "callback": lambda step: True, name: value}
    model = HypCSE(**nest_options(HypCSE, options)).fit(X)
    assert spread_options(HypCSE, model.get_params(deep=False))[name] == value
    assert model.tree_.n_leaves == 12


def test_functions_have_the_parameters_named() -> None:
    found = [CALL.fullmatch(span) for cell in SWITCHES for span in code_spans(cell) if span.startswith("hypcse.")]
    assert found and all(found)
    for match in found:
        function = getattr(import_module(match[1]), match[2])
        if match[3]:
            signature(function).bind_partial(**{match[3]: ast.literal_eval(match[4])})


def test_all_weights_are_moved_by_adam() -> None:
    """No. 25."""
    X = np.random.default_rng(0).normal(size=(12, 3))
    run = Run(Setup(scale_features(X), similarity_graph(X), TrainingConfig()))
    assert {type(optimizer) for optimizer in run.optimizers} == {torch.optim.Adam}


def test_the_authors_values_are_those_described() -> None:
    """Nos. 9, 12, 13 and 21, as `paper_settings` has them."""
    assert authors_options("zoo")["anchor_decay"] == 0.9999
    assert all(0 < 16 * authors_options("zoo")[mask] < 1 for mask in ("mask_learner", "mask_anchor"))
    assert 0 < 13 * authors_options("wine")["mask_learner"] < 1
    assert authors_options("wine")["mask_anchor"] == 0
    assert authors_options("iris")["select_on"] == "sparse"
    assert (authors_options("pen-digits")["cse_temperature"], authors_options("pen-digits")["learner"]) == (0.1, "gcn")
