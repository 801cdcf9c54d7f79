"""What `hypcse fit` is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, get_args

from hypcse import methods
from hypcse._checks import check_choice
from hypcse.cli.reading.method_options import read_options
from hypcse.discrete.budget import Effort


@dataclass(frozen=True)
class Job:
    """What to do with the points; `settings` are the method's options as NAME=VALUE."""

    method: str
    refine: bool
    effort: str
    n_clusters: int | None
    seed: int
    graph_options: dict[str, Any]
    preset: str = "default"
    epochs: int | None = None
    device: str = "auto"
    resume: bool = False
    settings: list[str] = field(default_factory=list)
    stability: bool | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The method's options."""
        return read_options(self.settings, methods.describe(self.method))

    @property
    def title(self) -> str:
        """What made the tree: a method other than hypcse, which refines by itself, is not alone when refined."""
        return f"{self.method}, refined" if self.refine and self.method != "hypcse" else self.method

    def check(self) -> None:
        """Raise for what is wrong whatever the data."""
        check_choice("effort", self.effort, get_args(Effort))
        check_choice("preset", self.preset, ("default", "paper"))
        read_options(self.settings, methods.describe(self.method))
        if self.method != "hypcse":
            self._check_others()
        if self.refine and self.options.get("epsilon", math.inf) != math.inf:
            raise ValueError(
                f"epsilon={self.options['epsilon']} asks for a private tree, and refinement looks at the graph again. "
                "Pass --no-refine. Levels, labels and scores are read off the graph too: of the folder, only tree.nwk "
                "and linkage.npy are private."
            )

    def _check_others(self) -> None:
        """Raise for an option of hypcse, which another method would not heed."""
        given = {
            "--preset": self.preset != "default",
            "--epochs": self.epochs is not None,
            "--device": self.device != "auto",
            "--resume": self.resume,
        }
        for option in (option for option, was_given in given.items() if was_given):
            way_out = "Leave it out, or pass --method hypcse."
            if option == "--epochs" and "n_epochs" in methods.describe(self.method).options:
                way_out = f"Pass --set n_epochs={self.epochs}."
            raise ValueError(f"{option} is for hypcse, but the method is {self.method}. {way_out}")
