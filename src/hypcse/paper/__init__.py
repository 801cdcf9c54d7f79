"""What only the paper needs: its tables and figures as data, the runner that fills them, and methods of its tables."""

from hypcse.paper.experiments import EXPERIMENTS, experiment
from hypcse.paper.report.content import build_report
from hypcse.paper.report.render import to_markdown
from hypcse.paper.running.runner import run_tasks
from hypcse.paper.running.tasks import plan
from hypcse.paper.settings import paper_settings

__all__ = ["EXPERIMENTS", "build_report", "experiment", "paper_settings", "plan", "run_tasks", "to_markdown"]
