"""Colours of classes and clusters, on plots and on the page: none that colour-blind people mistake for another."""

from __future__ import annotations

LIGHT = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#b0b874",
    "#2b2b2b",
    "#2a2a9c",
    "#7d4a4a",
    "#6a78e8",
    "#0c4800",
)
"""On light ground: the eight of Okabe and Ito, the yellow dulled until it can be seen on white and the black a little
lighter, and four more. Seen without red or without green, each two differ no less than the nearest two of the eight."""

DARK = (*LIGHT[:6], "#f0e442", "#f4f4f4", "#c8d4fc", "#d4b090", "#6a78e8", "#c8e4ac")
"""On dark ground: the same, with others of their kind for those that would be too dark, and the yellow as it was."""
