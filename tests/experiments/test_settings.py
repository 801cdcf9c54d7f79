"""The authors' settings are keywords of training."""

from __future__ import annotations

import pytest

from hypcse.experiments import paper_settings
from hypcse.training import TrainingConfig

SEVEN = ("zoo", "iris", "wine", "breast-cancer", "optical-digits", "spambase", "pen-digits")


@pytest.mark.parametrize("name", SEVEN)
def test_every_row_is_a_valid_configuration(name):
    settings = paper_settings(name)
    assert "preset" not in settings
    assert "random_state" not in settings
    assert settings.pop("n_neighbors") == 10
    config = TrainingConfig.from_options(**settings)
    assert config.schedule.n_epochs == 200
    assert config.structure.anchor_decay == 0.9999


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="Did you mean 'wine'"):
        paper_settings("whine")
