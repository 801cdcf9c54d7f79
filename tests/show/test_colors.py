"""Colors stay apart for people who see no red or no green, and from the ground they are drawn on."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from hypcse import Tree
from hypcse.show.page.bundle import render
from pages import gathered

# Machado, Oliveira and Fernandes 2009, full severity, on linear light.
SEEN = {
    "all": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def oklab(linear: np.ndarray) -> np.ndarray:
    cones = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
    lab = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])
    return np.cbrt(np.clip(linear, 0, 1) @ cones.T) @ lab.T


LEAST_GAP = 0.0755
"""In OKLab, where black and white are 1 apart; the nearest two of Okabe and Ito's own colors are 0.0761."""
LEAST_CONTRAST = {"light": 2.0, "dark": 3.0}
"""As WCAG measures it. Of the colors of Okabe and Ito that are used as they are, orange has 2.2 on white."""


@pytest.fixture(scope="module")
def page():
    return render(gathered(Tree.from_newick("(a:1,b:1);")))


def linear(colors: list[str]) -> np.ndarray:
    """Red, green and blue as amounts of light."""
    share = np.array([[int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)] for text in colors])
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def colors_of(page: str, look: str) -> list[str]:
    """The first colors of clusters and classes, as the page holds them."""
    return json.loads(re.search(r"const CLASS_COLORS = (.*);", page)[1])[look]


def least_gap(colors: list[str], kind: str) -> float:
    seen = oklab(linear(colors) @ SEEN[kind].T)
    return float((np.linalg.norm(seen[:, None] - seen, axis=-1) + 9 * np.eye(len(colors))).min())


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("look", ["light", "dark"])
def test_twelve_colors_stay_apart(page, look, kind):
    colors = colors_of(page, look)
    assert len(colors) == 12
    assert least_gap(colors, kind) > LEAST_GAP


def test_the_measure_tells_colors_that_are_mistaken():
    """Pairs that the page once had: vermilion and olive on light ground, pink and gray on dark."""
    for mistaken in (["#d55e00", "#a08a00"], ["#e08fc0", "#b4b4b4"]):
        assert least_gap(mistaken, "all") > LEAST_GAP
        assert min(least_gap(mistaken, "no red"), least_gap(mistaken, "no green")) < LEAST_GAP / 2


@pytest.mark.parametrize("look", ["light", "dark"])
def test_colors_are_seen_on_their_ground(page, look):
    grounds = re.search(rf'{look}: {{\s+ground: "(#\w+)", disk: "(#\w+)"', page).groups()
    light = np.array([0.2126, 0.7152, 0.0722])
    of_colors, of_grounds = linear(colors_of(page, look)) @ light, linear(list(grounds)) @ light
    high, low = np.maximum.outer(of_colors, of_grounds), np.minimum.outer(of_colors, of_grounds)
    assert ((high + 0.05) / (low + 0.05)).min() >= LEAST_CONTRAST[look]
