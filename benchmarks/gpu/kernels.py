"""The losses of Eq. (9) and Eq. (15) on a device: how exact they are, whether bits repeat, what each stage takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from benchmarks.gpu.timing import device_milliseconds, milliseconds, text
from benchmarks.sheet import Sheet
from hypcse.neural import backend as _backend
from hypcse.neural import geometry
from hypcse.neural.geometry import on_sphere
from hypcse.neural.losses.contrast import contrastive_loss, plain_sums
from hypcse.neural.losses.cse import cse_loss, cse_loss_reference

N_VERTICES, N_EDGES, N_FEATURES, RADIUS = 2_048, 14_000, 16, 0.999
TEMPERATURES = (1e-3, 1e-2, 0.1, 1.0, 10.0, 1e3, 1e4)
Case = tuple[Tensor, Tensor, Tensor]


def sheets(device: str, small: bool) -> Iterator[Sheet]:
    """Values first: a fast kernel that is wrong is worth nothing."""
    n, m = (96, 400) if small else (N_VERTICES, N_EDGES)
    case = draw(n, m, device)
    yield entropy_values(case)
    yield contrast_values(views(n, device))
    yield losses_times(case, views(n, device))
    if _backend.kernel_form(case[0]) == "triton":
        yield stage_times(case)
        yield tile_times(case)


def draw(n: int, m: int, device: str) -> Case:
    """Directions, distinct edges and weights, the same on every device."""
    rng = torch.Generator().manual_seed(0)
    pairs = torch.combinations(torch.arange(n))
    edges = pairs[torch.randperm(len(pairs), generator=rng)[:m]].T.contiguous()
    directions, weights = torch.randn(n, N_FEATURES, generator=rng), 0.1 + torch.rand(m, generator=rng)
    return directions.to(device), edges.to(device), weights.to(device)


def views(n: int, device: str) -> tuple[Tensor, Tensor]:
    """Space coordinates of two views that lie apart by less than their points."""
    rng = torch.Generator().manual_seed(1)
    first = 2 * torch.randn(n, N_FEATURES, generator=rng)
    return first.to(device), (first + 0.5 * torch.randn(n, N_FEATURES, generator=rng)).to(device)


def entropy_of(loss: Callable[..., Tensor], case: Case, temperature: float, radius: float = RADIUS) -> list[Tensor]:
    """Value, and gradient along the sphere."""
    directions, edges, weights = case
    given = directions.clone().requires_grad_()
    value = loss(on_sphere(given, radius), edges, weights.to(given.dtype), temperature)
    return [value.detach(), *torch.autograd.grad(value, given)]


def contrast_of(loss: Callable[..., Tensor], given: tuple[Tensor, Tensor], temperature: float) -> list[Tensor]:
    """Value, and gradients along the hyperboloid."""
    features = [view.clone().requires_grad_() for view in given]
    value = loss(*map(geometry.lift, features), temperature)
    return [value.detach(), *torch.autograd.grad(value, features)]


def plain_contrast(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    """Eq. (15) in plain torch."""
    positive = -geometry.distance(first, second) / temperature
    return (plain_sums(geometry.pairwise_excess(first, second), positive, temperature) / 2 - positive).mean()


def exact_contrast(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    """Eq. (15) by log(1 + e^x) over the others, which keeps the digits of a loss far below 1.

    The plain form subtracts two numbers of the size of d / t. Where they agree to 16 digits it gives 0 even in double
    precision, and leaves the pull between the two views out of the gradient.
    """
    positive = -geometry.distance(first, second) / temperature
    nobody = torch.full_like(positive, -torch.inf)
    logits = -geometry.arcosh_one_plus(geometry.pairwise_excess(first, second)) / temperature
    others = torch.diagonal_scatter(logits, nobody)
    sides = torch.stack([torch.logsumexp(others, dim=side) for side in (0, 1)])
    return torch.nn.functional.softplus(sides - positive, threshold=40.0).mean()


def entropy_values(case: Case) -> Sheet:
    """Eq. (9) beside the plain form in double precision."""
    directions, edges, weights = case
    double = directions.double(), edges, weights.double()
    rows = []
    for radius in (0.9, RADIUS):
        for temperature in TEMPERATURES:
            expected = entropy_of(cse_loss_reference, double, temperature, radius)
            found, again = (entropy_of(cse_loss, case, temperature, radius) for _ in range(2))
            plain = entropy_of(cse_loss_reference, case, temperature, radius)
            cells = (f"{radius}", f"{temperature:g}", f"{float(expected[0]):.6f}", *_errors(found, expected))
            rows.append((*cells, *_errors(plain, expected), _state(found, again)))
    columns = (
        "radius",
        "t",
        "loss",
        "value off by",
        "gradient off by",
        "plain: value",
        "plain: gradient",
        "finite, bits",
    )
    title = f"Eq. (9), {len(directions):,} vertices and {edges.shape[1]:,} edges: single against double precision"
    return Sheet(title, columns, tuple(rows))


def contrast_values(given: tuple[Tensor, Tensor]) -> Sheet:
    """Eq. (15) and its plain form beside the form that keeps digits, in double precision."""
    first, second = given
    double = first.double(), second.double()
    rows = []
    for temperature in TEMPERATURES:
        expected = contrast_of(exact_contrast, double, temperature)
        found, again = (contrast_of(contrastive_loss, given, temperature) for _ in range(2))
        plain = contrast_of(plain_contrast, given, temperature)
        cells = (f"{temperature:g}", f"{float(expected[0]):.6g}", *_errors(found, expected))
        rows.append((*cells, *_errors(plain, expected), _state(found, again)))
    columns = ("t", "loss", "value off by", "gradient off by", "plain: value", "plain: gradient", "finite, bits")
    return Sheet(f"Eq. (15), {len(first):,} vertices: single against double precision", columns, tuple(rows))


def losses_times(case: Case, given: tuple[Tensor, Tensor]) -> Sheet:
    """What a caller waits for: leaves in, gradient out."""
    directions, edges, weights = case
    leaves = on_sphere(directions, RADIUS).requires_grad_()
    points = [geometry.lift(view).requires_grad_() for view in given]

    def both(loss: Callable[..., Tensor], *inputs: Any) -> Callable[[], Any]:
        wanted = [one for one in inputs if isinstance(one, Tensor) and one.requires_grad]
        return lambda: torch.autograd.grad(loss(*inputs), wanted)

    def alone(loss: Callable[..., Tensor], *inputs: Any) -> Callable[[], Any]:
        return lambda: loss(*(one.detach() if isinstance(one, Tensor) else one for one in inputs))

    forms = cse_loss, cse_loss_reference
    works = {
        "cse_loss, value alone": [alone(loss, leaves, edges, weights, 1.0) for loss in forms],
        "cse_loss, to gradient": [both(loss, leaves, edges, weights, 1.0) for loss in forms],
        "cse_loss, to gradient, t = 0.01": [both(loss, leaves, edges, weights, 0.01) for loss in forms],
        "contrastive_loss, to gradient": [both(loss, *points, 1.0) for loss in (contrastive_loss, plain_contrast)],
    }
    rows = [(name, text(milliseconds(ours)), text(milliseconds(plain, 10))) for name, (ours, plain) in works.items()]
    return Sheet("Losses, from leaves to gradient, as a caller waits", ("what", "ms", "plain form, ms"), tuple(rows))


def stage_times(case: Case) -> Sheet:
    """Each launch of `cse_loss` by itself, on the device alone."""
    from hypcse.neural.triton import leaves as ahead
    from hypcse.neural.triton import volumes as core
    from hypcse.neural.triton.contrast import contrast

    directions, edges, weights = case
    n, t = len(directions), 1.0
    found = on_sphere(directions, RADIUS)
    units, columns, lengths = ahead.unit_rows(found)
    facts = ahead.measure(edges, weights, lengths, 1)
    rows = core.rows_of(edges, n)
    shares = core.shares_of(rows, weights, facts)
    fast, safe = (ahead.pair_depths(columns, facts, rate) for rate in (1 / (t * math.log(2)), None))
    terms = core.edge_terms(edges, weights, shares, fast, t, facts)
    slopes, parts = core.depth_slopes(rows, shares, fast, terms, t)
    given = units, lengths
    points = [geometry.lift(view) for view in views(n, directions.device.type)]
    stages: dict[str, Callable[[], Any]] = {
        "directions and lengths": lambda: ahead.unit_rows(found),
        "depths and decays of pairs": lambda: ahead.pair_depths(columns, facts, 1 / (t * math.log(2))),
        "facts": lambda: ahead.measure(edges, weights, lengths, 1),
        "edges by rows (sort), once for a tensor": lambda: core._sorted_rows(edges, n),
        "shares": lambda: core.shares_of(rows, weights, facts),
        "Eq. (9) forward": lambda: core.edge_terms(edges, weights, shares, fast, t, facts),
        "Eq. (9) backward": lambda: core.depth_slopes(rows, shares, fast, terms, t),
        "Eq. (9) forward, safe": lambda: core.edge_terms(edges, weights, shares, safe, t, facts),
        "Eq. (9) backward, safe": lambda: core.depth_slopes(rows, shares, safe, terms, t),
        "two matrix products": lambda: torch.addmm(slopes @ units, slopes.T, units),
        "sums, and gradient by leaves": lambda: ahead.by_leaves(units, parts, given, facts, terms.value, 1),
        "Eq. (15) forward": lambda: contrast(points[0], points[1], 1.0, True, gradient=False),
        "Eq. (15) forward and backward": lambda: contrast(points[0], points[1], 1.0, True, gradient=True),
    }
    taken = {name: device_milliseconds(work) for name, work in stages.items()}
    table = [(name, text(value)) for name, value in taken.items()]
    both = taken["Eq. (9) forward"] + taken["Eq. (9) backward"]
    table.append(("Eq. (9) forward and backward", text(both)))
    table.append(("facts for the host (waits)", text(milliseconds(lambda: ahead.read_facts(facts)))))
    return Sheet("Stages, on the device alone", ("stage", "ms"), tuple(table))


def tile_times(case: Case) -> Sheet:
    """Forward and backward of Eq. (9) by the size of a tile and the number of warps."""
    from hypcse.neural.triton import leaves as ahead
    from hypcse.neural.triton import volumes as core

    directions, edges, weights = case
    _, columns, lengths = ahead.unit_rows(on_sphere(directions, RADIUS))
    facts, rows = ahead.measure(edges, weights, lengths, 1), core.rows_of(edges, len(directions))
    shares = core.shares_of(rows, weights, facts)
    tables = ahead.pair_depths(columns, facts, 1 / math.log(2))
    terms = core.edge_terms(edges, weights, shares, tables, 1.0, facts)
    found = []
    kept = core._TILE, core._WARPS
    try:
        for tile, warps in ((128, 1), (256, 1), (256, 2), (512, 2), (1024, 4)):
            core._TILE, core._WARPS = tile, warps
            forward = device_milliseconds(lambda: core.edge_terms(edges, weights, shares, tables, 1.0, facts), 10)
            backward = device_milliseconds(lambda: core.depth_slopes(rows, shares, tables, terms, 1.0), 10)
            found.append((f"{tile}", f"{warps}", text(forward), text(backward)))
    finally:
        core._TILE, core._WARPS = kept
    return Sheet("Tiles of Eq. (9)", ("tile", "warps", "forward, ms", "backward, ms"), tuple(found))


def _errors(found: list[Tensor], expected: list[Tensor]) -> tuple[str, str]:
    value = abs(float(found[0]) - float(expected[0])) / max(1.0, abs(float(expected[0])))
    norm = math.sqrt(sum(float(one.square().sum()) for one in expected[1:]))
    gap = math.sqrt(sum(float((a.double() - b).square().sum()) for a, b in zip(found[1:], expected[1:], strict=True)))
    return f"{value:.1e}", f"{gap / max(norm, 1e-30):.1e}"


def _state(found: list[Tensor], again: list[Tensor]) -> str:
    finite = all(bool(one.isfinite().all()) for one in found)
    equal = all(torch.equal(one, two) for one, two in zip(found, again, strict=True))
    return f"{'yes' if finite else 'NO'}, {'equal' if equal else 'DIFFERENT'}"
