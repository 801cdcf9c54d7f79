"""Tables and figures of the paper, declared as data, and the runner that fills them."""

from hypcse.experiments.declared import EXPERIMENTS, experiment
from hypcse.experiments.report.content import build_report
from hypcse.experiments.report.render import to_markdown
from hypcse.experiments.running.runner import run_tasks
from hypcse.experiments.running.tasks import plan
from hypcse.experiments.settings import paper_settings

__all__ = ["EXPERIMENTS", "build_report", "experiment", "paper_settings", "plan", "run_tasks", "to_markdown"]
