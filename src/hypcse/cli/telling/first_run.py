"""What is said of an installation: that kernels are compiled, and what a light one leaves out."""

from __future__ import annotations

from rich.console import Console


def tell_first_run() -> None:
    """Say that kernels are compiled, once for this machine, and begin with it in a second process."""
    from hypcse.kernels._kept import is_warm
    from hypcse.kernels.warm import warm_up

    if is_warm():
        return
    text = "first run: compiling kernels for this machine, once; about 15 seconds."
    Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
    warm_up()


def tell_left_out(names: list[str]) -> None:
    """Say which methods were left out because torch is not installed."""
    if names:
        text = f"left out, because they need torch (the extra `train`): {', '.join(names)}."
        Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
