"""Notes about the installation: that kernels are being compiled, and what needs an extra."""

from __future__ import annotations

from rich.console import Console


def tell_first_run() -> None:
    """Say that kernels are being compiled, once for this machine, and start that in a second process."""
    from hypcse.kernels._kept import is_warm
    from hypcse.kernels.warm import warm_up

    if is_warm():
        return
    text = "first run: compiling kernels for this machine, once; about 15 seconds."
    Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
    warm_up()


def tell_left_out(names: list[str]) -> None:
    """Print which methods were left out because torch is not installed."""
    if names:
        text = f"left out, because they need torch (the extra `train`): {', '.join(names)}."
        Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
