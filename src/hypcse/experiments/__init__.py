"""Tables and figures of the paper as data, and the runner that fills them."""

from hypcse.experiments.cells import Cell, cells, run_cell
from hypcse.experiments.declared import EXPERIMENTS, Experiment, Row, experiment
from hypcse.experiments.printed import printed
from hypcse.experiments.report import summarize, to_html, to_markdown
from hypcse.experiments.runner import read_records, run_cells
from hypcse.experiments.settings import paper_settings

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Experiment",
    "Row",
    "cells",
    "experiment",
    "paper_settings",
    "printed",
    "read_records",
    "run_cell",
    "run_cells",
    "summarize",
    "to_html",
    "to_markdown",
]
