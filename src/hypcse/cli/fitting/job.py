"""The options of one `hypcse fit`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypcse import methods
from hypcse._checks import check_choice
from hypcse._choices import Effort
from hypcse.cli.reading.method_options import read_options
from hypcse.methods.clustering import estimator_of


@dataclass(frozen=True)
class Job:
    """What to do with the points.

    refine     : None leaves it to the method: all refine, unless a preset turns it off.
    graph      : arguments of the similarity graph.
    settings   : the method's options as NAME=VALUE.
    shorthands : options of the method that the command has its own flags for; None if not given.
    """

    method: str
    n_clusters: int | None
    refine: bool | None
    effort: Effort
    seed: int
    graph: dict[str, Any]
    settings: list[str] = field(default_factory=list)
    shorthands: dict[str, Any] = field(default_factory=dict)
    resume: bool = False
    stability: bool | None = None

    def check(self) -> None:
        """Raise for errors that do not depend on the data or the method's options; no method is loaded."""
        check_choice("effort", self.effort, Effort)
        methods.describe(self.method)
        for name, value in self._given.items():
            if any(word.partition("=")[0].strip() == name for word in self.settings):
                raise ValueError(f"{SPELLED[name]} {value} and --set {name}=... both give {name}. Pass one of them.")

    @property
    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in self.shorthands.items() if value is not None}

    def options(self, checkpoints: Path | None = None) -> dict[str, Any]:
        """The method's options, those of the shorthands included.

        checkpoints : where a method that can be resumed keeps its state.
        """
        method = methods.describe(self.method)
        known = method.options
        for name in self._given:
            if name not in known:
                raise ValueError(
                    f"{SPELLED[name]} sets {name}, which {self.method} does not have. Omit it, or choose a method "
                    "that has it: `hypcse methods` lists options."
                )
        can_resume = "checkpoint_dir" in known
        if self.resume and not can_resume:
            raise ValueError(f"--resume: {self.method} cannot be resumed. Omit it.")
        found = {**self._given, **read_options(self.settings, method)}
        return {**found, "checkpoint_dir": str(checkpoints)} if can_resume and checkpoints is not None else found

    def estimator(self, checkpoints: Path) -> Any:
        """The estimator to fit."""
        shared: dict[str, Any] = {"n_clusters": self.n_clusters, "random_state": self.seed, **self.graph}
        options = self.options(checkpoints)
        # A preset decides what is not given.
        if self.refine is not None or options.get("preset", "default") == "default":
            shared["refine"] = False if self.refine is False else self.effort
        return estimator_of(self.method, options, **shared)

    def asked(self, source: str) -> dict[str, Any]:
        """The job in plain values, for the report."""
        return {
            "input": source,
            "method": self.method,
            "settings": [*(f"{name}={value}" for name, value in self._given.items()), *self.settings],
            "refine": self.refine,
            "effort": self.effort,
            "clusters": self.n_clusters,
            "seed": self.seed,
            **self.graph,
        }


SPELLED = {"preset": "--preset", "n_epochs": "--epochs", "device": "--device"}
"""The shorthands, by the option that each sets."""
