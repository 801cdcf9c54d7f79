"""Tables and figures of the paper, declared as data, and the runner that fills them."""

from hypcse.experiments.declared import EXPERIMENTS, Experiment, Row, everything, experiment
from hypcse.experiments.paper_figures import read_printed
from hypcse.experiments.report import build_report, to_html, to_markdown, write_report
from hypcse.experiments.results import Results
from hypcse.experiments.running import MEASURED, Planned, Task, find_finished, plan, read_records, run_task, run_tasks
from hypcse.experiments.settings import paper_settings

__all__ = [
    "EXPERIMENTS",
    "MEASURED",
    "Experiment",
    "Planned",
    "Results",
    "Row",
    "Task",
    "build_report",
    "everything",
    "experiment",
    "find_finished",
    "paper_settings",
    "plan",
    "read_printed",
    "read_records",
    "run_task",
    "run_tasks",
    "to_html",
    "to_markdown",
    "write_report",
]
