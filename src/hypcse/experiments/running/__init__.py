"""Tasks, and the runner that fills a file of records with them."""

from hypcse.experiments.running.circumstances import MEASURED
from hypcse.experiments.running.measure import run_task
from hypcse.experiments.running.runner import find_finished, read_records, run_tasks
from hypcse.experiments.running.tasks import Planned, Record, Task, plan

__all__ = ["MEASURED", "Planned", "Record", "Task", "find_finished", "plan", "read_records", "run_task", "run_tasks"]
