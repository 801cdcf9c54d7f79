"""The command: parts, each behind a fence, and the page of the docs that quotes them."""

from __future__ import annotations

import argparse
import platform
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from rich.console import Console

from benchmarks.sheet import Sheet

PARTS = ("versions", "kernels", "step", "neighbors", "million", "quality")
BEGIN, END = "<!-- python -m benchmarks gpu: begin -->", "<!-- python -m benchmarks gpu: end -->"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="all by default")
    parser.add_argument("--device", default="auto", help="a name for torch; a GPU where there is one by default")
    parser.add_argument("--small", action="store_true", help="sizes that show whether it runs, not how fast")
    parser.add_argument("--out", type=Path, metavar="PAGE.md", help="page whose marked block is filled")


def show(options: argparse.Namespace, console: Console) -> int:
    """Run the parts one after the other; what fails is told, and the rest goes on."""
    from hypcse.neural.backend import choose_device

    device, found, failed = choose_device(options.device), [], []
    for part in options.part:
        began = time.perf_counter()
        console.rule(f"{part} on {device}")
        try:
            for sheet in _sheets(part, device, options.small):
                console.print(sheet.to_markdown(), markup=False, soft_wrap=True)
                found.append(sheet)
        except Exception:
            # The next part may work, and a machine with a GPU is not at hand every day.
            failed.append(part)
            console.print(traceback.format_exc(), markup=False, soft_wrap=True)
        console.print(f"{part}: {time.perf_counter() - began:.1f} s", markup=False)
    if options.out is not None:
        fill(options.out, found)
    console.print(f"failed: {', '.join(failed) or 'none'}", markup=False)
    return 1 if failed else 0


def fill(page: Path, sheets: list[Sheet]) -> None:
    """Put the tables between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    if END not in rest:
        raise ValueError(f"{page} has no block between {BEGIN!r} and {END!r}. Add the two lines where tables belong.")
    tables = "\n\n".join(sheet.to_markdown() for sheet in sheets)
    page.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def _sheets(part: str, device: str, small: bool) -> Iterator[Sheet]:
    if part == "versions":
        yield versions(device)
    else:
        yield from import_module(f"benchmarks.gpu.{part}").sheets(device, small)


def versions(device: str) -> Sheet:
    """What ran, and on what."""
    import torch

    from hypcse.neural.backend import kernel_form, missing_for_triton

    names = {"python": platform.python_version(), "machine": f"{platform.machine()}, {_n_cores()} cores"}
    for name in ("torch", "triton", "numpy", "scipy", "sklearn", "numba", "geoopt"):
        try:
            names[name] = str(getattr(import_module(name), "__version__", "unknown"))
        except ImportError:
            names[name] = "not installed"
    if device.startswith("cuda"):
        card = torch.cuda.get_device_properties(device)
        names["GPU"] = f"{card.name}, {card.total_memory / 2**30:.0f} GiB, {card.multi_processor_count} multiprocessors"
        names["CUDA"] = str(torch.version.cuda)
    names["Triton lacks"] = missing_for_triton() or "nothing"
    names["form of the losses"] = kernel_form(torch.empty(1, device=device))
    return Sheet("Versions", ("what", "which"), tuple(names.items()))


def _n_cores() -> int:
    import os

    return os.cpu_count() or 1
