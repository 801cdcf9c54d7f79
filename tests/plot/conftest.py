"""Plots are drawn without a screen, and every figure is closed after its test."""

from __future__ import annotations

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
