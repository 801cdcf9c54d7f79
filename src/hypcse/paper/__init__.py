"""Tables and figures of the paper, declared as data, and the runner that fills them."""

from hypcse.paper.experiments import EXPERIMENTS, experiment
from hypcse.paper.report.content import build_report
from hypcse.paper.report.render import to_markdown
from hypcse.paper.running.runner import run_tasks
from hypcse.paper.running.tasks import plan
from hypcse.paper.settings import paper_settings

__all__ = ["EXPERIMENTS", "build_report", "experiment", "paper_settings", "plan", "run_tasks", "to_markdown"]
