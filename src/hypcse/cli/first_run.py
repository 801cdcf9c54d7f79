"""What a first run says while kernels are compiled."""

from __future__ import annotations

from rich.console import Console


def tell_first_run() -> None:
    """Say that kernels are compiled, once for this machine, and begin with it in a second process."""
    from hypcse.kernels._compile import is_warm
    from hypcse.kernels.warm import warm_up

    if is_warm():
        return
    text = "first run: compiling kernels for this machine, once; about 15 seconds."
    Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
    warm_up()
