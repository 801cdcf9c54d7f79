"""The authors' settings are keywords of training."""

from __future__ import annotations

import pytest

from hypcse import HypCSE
from hypcse.neural.training.config import HINTS, TrainingConfig
from hypcse.paper import paper_settings
from hypcse.paper.settings import authors_options
from hypcse.storage.options import spread_options

SEVEN = ("zoo", "iris", "wine", "breast-cancer", "optical-digits", "spambase", "pen-digits")


@pytest.mark.parametrize("name", SEVEN)
def test_every_row_is_a_valid_configuration(name):
    settings = paper_settings(name)
    assert spread_options(HypCSE, settings) == {**authors_options(name), "checkpoint_every": 10}
    settings |= settings.pop("training").get_params()
    assert "preset" not in settings
    assert "random_state" not in settings
    assert settings.pop("n_neighbors") == 10
    config = TrainingConfig(**{name: value for name, value in settings.items() if name in HINTS and value is not None})
    assert (config.n_epochs, config.anchor_decay) == (200, 0.9999)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="Did you mean 'wine'"):
        paper_settings("whine")
