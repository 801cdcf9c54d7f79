"""Tables and figures of the paper as data, and the runner that fills them."""

from hypcse.experiments.cells import Cell, Planned, plan
from hypcse.experiments.declared import EXPERIMENTS, everything, experiment
from hypcse.experiments.measure import MEASURED, run_cell
from hypcse.experiments.model import Experiment, Row
from hypcse.experiments.printed import printed
from hypcse.experiments.report import build_report, to_html, to_markdown, write_report
from hypcse.experiments.runner import finished, read_records, run_cells
from hypcse.experiments.settings import paper_settings
from hypcse.experiments.summary import Results

__all__ = [
    "EXPERIMENTS",
    "MEASURED",
    "Cell",
    "Experiment",
    "Planned",
    "Results",
    "Row",
    "build_report",
    "everything",
    "experiment",
    "finished",
    "paper_settings",
    "plan",
    "printed",
    "read_records",
    "run_cell",
    "run_cells",
    "to_html",
    "to_markdown",
    "write_report",
]
