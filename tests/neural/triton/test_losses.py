"""The losses by Triton's kernels: those of the plain form in double precision, along the sphere, at any temperature."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from hypcse.neural import geometry
from hypcse.neural.backend import kernel_form
from hypcse.neural.geometry import on_sphere
from hypcse.neural.losses.contrast import contrastive_loss
from hypcse.neural.losses.cse import cse_loss, cse_loss_reference

pytestmark = pytest.mark.usefixtures("interpreter")


def draw(n: int, n_edges: int, dim: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Directions, distinct edges and their weights; the last vertices have none."""
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.combinations(torch.arange(max(2, n - n // 8)))
    edges = pairs[torch.randperm(len(pairs), generator=rng)[:n_edges]].T
    return torch.randn(n, dim, generator=rng), edges, 0.1 + torch.rand(edges.shape[1], generator=rng)


def entropy(loss, directions: Tensor, edges: Tensor, weights: Tensor, temperature: float, radius: float = 0.9):
    """Value, gradient along the sphere, and gradient by the radius."""
    data = directions.clone().requires_grad_()
    on = torch.tensor(radius, dtype=data.dtype, requires_grad=True)
    value = loss(on_sphere(data, on), edges, weights.to(data.dtype), temperature)
    return value.detach(), *torch.autograd.grad(value, [data, on])


def off(found: Tensor, expected: Tensor) -> float:
    return float(torch.linalg.vector_norm(found - expected) / torch.linalg.vector_norm(expected))


@pytest.mark.parametrize(
    ("n", "n_edges", "dim", "temperature"),
    [(2, 1, 2, 1.0), (20, 40, 3, 0.05), (20, 40, 3, 1000.0), (33, 50, 17, 1.0), (260, 9, 3, 0.05), (260, 9, 3, 1.0)],
)
def test_entropy_is_that_of_the_plain_form(n: int, n_edges: int, dim: int, temperature: float) -> None:
    directions, edges, weights = draw(n, n_edges, dim)
    assert kernel_form(directions) == "triton"
    result = entropy(cse_loss, directions, edges, weights, temperature)
    value, gradient, by_radius = entropy(cse_loss_reference, directions.double(), edges, weights, temperature)
    assert off(result[0], value) < 1e-5
    if n > 2:
        assert off(result[1], gradient) < 1e-4
        assert off(result[2], by_radius) < 1e-3


@pytest.mark.parametrize("temperature", [1e-3, 0.06, 0.1])
@pytest.mark.parametrize("radius", [0.01, 0.999])
def test_cold_softmax(temperature: float, radius: float) -> None:
    """Where exp(-d / t) leaves single precision."""
    case = draw(16, 30, 5, seed=1)
    value, gradient, _ = entropy(cse_loss, *case, temperature, radius)
    expected, slope, _ = entropy(cse_loss_reference, case[0].double(), *case[1:], temperature, radius)
    assert off(value, expected) < 1e-5
    assert off(gradient, slope) < 1e-4


@pytest.mark.parametrize(("temperature", "radius"), [(1e-3, 0.999), (0.1, 0.01), (1.0, 0.999), (1e4, 0.01)])
def test_equal_and_opposite_leaves(temperature: float, radius: float) -> None:
    """Nothing is infinite, and two runs give equal bits."""
    directions, edges, weights = draw(12, 20, 3, seed=2)
    directions[4:8], directions[8:] = directions[:4], -directions[:4]
    once, again = (entropy(cse_loss, directions, edges, weights, temperature, radius) for _ in range(2))
    for one, two in zip(once, again, strict=True):
        assert one.isfinite().all() and torch.equal(one, two)


def test_edges_of_weight_zero_and_graphs_of_none() -> None:
    directions, edges, weights = draw(12, 20, 3)
    weights[:8] = 0
    result, expected = (entropy(loss, directions, edges, weights, 1.0) for loss in (cse_loss, cse_loss_reference))
    assert off(result[0], expected[0]) < 1e-5 and off(result[1], expected[1]) < 1e-4
    for some, none in ((edges, weights * 0), (edges[:, :0], weights[:0])):
        value, gradient, _ = entropy(cse_loss, directions, some, none, 1.0)
        assert value == 0 and (gradient == 0).all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"edges": torch.tensor([[0, 1], [1, 1]])}, "loop"),
        ({"edges": torch.tensor([[0, 1], [1, 3]])}, "3 leaves"),
        ({"edges": torch.tensor([[0, -1], [1, 1]])}, "-1 to 1"),
        ({"edges": torch.tensor([[0, 1, 2]])}, "each undirected edge once"),
        ({"weights": torch.tensor([1.0, -1.0])}, "at least 0"),
        ({"weights": torch.tensor([1.0, torch.nan])}, "finite"),
        ({"leaves": torch.eye(3)}, "on_sphere"),
        ({"leaves": torch.diag(torch.tensor([0.5, 0.5, 0.6]))}, "on_sphere"),
    ],
)
def test_what_is_wrong_is_told_as_elsewhere(change: dict[str, Tensor], text: str) -> None:
    data = {"leaves": torch.eye(3) / 2, "edges": torch.tensor([[0, 1], [1, 2]]), "weights": torch.ones(2)} | change
    with pytest.raises(ValueError, match=text):
        cse_loss(**data, temperature=1.0)


def test_without_a_gradient_only_the_value_is_computed() -> None:
    directions, edges, weights = draw(20, 30, 3)
    leaves = on_sphere(directions, 0.9)
    value = cse_loss(leaves, edges, weights, 1.0)
    assert not value.requires_grad
    torch.testing.assert_close(value, cse_loss(leaves.requires_grad_(), edges, weights, 1.0).detach(), rtol=0, atol=0)


def test_rows_of_edges_are_kept_until_the_edges_change() -> None:
    from hypcse.neural.triton.volumes import rows_of

    edges = torch.tensor([[0, 1], [1, 2]])
    rows = rows_of(edges, 4)
    assert rows_of(edges, 4) is rows
    assert rows_of(edges, 5) is not rows
    rest = rows_of(edges, 4)
    edges[0, 0] = 3
    assert rows_of(edges, 4) is not rest
    assert rows_of(edges, 4).pointers.tolist() == [0, 0, 2, 3, 4]
    with torch.inference_mode():
        assert rows_of(torch.tensor([[0], [1]]), 2).indices.tolist() == [1, 0]


def views(n: int, dim: int, apart: float) -> list[Tensor]:
    rng = torch.Generator().manual_seed(n)
    first = 2 * torch.randn(n, dim, generator=rng)
    return [first, first + apart * torch.randn(n, dim, generator=rng)]


def contrast(given: list[Tensor], temperature: float, include_positive: bool):
    """Value and gradients along the hyperboloid."""
    features = [view.clone().requires_grad_() for view in given]
    value = contrastive_loss(*map(geometry.lift, features), temperature, include_positive)
    return value.detach(), *torch.autograd.grad(value, features)


@pytest.mark.parametrize(
    ("n", "dim", "include_positive", "temperature"),
    [(3, 1, True, 1.0), (3, 1, False, 1.0), (70, 4, True, 0.5), (70, 4, False, 1000.0), (18, 140, True, 1.0)],
)
def test_contrast_is_that_of_the_plain_form(n: int, dim: int, include_positive: bool, temperature: float) -> None:
    data = views(n, dim, 0.5)
    value, *gradients = contrast(data, temperature, include_positive)
    expected, *slopes = contrast([view.double() for view in data], temperature, include_positive)
    assert abs(value - expected) < 1e-5 * max(1, abs(expected))
    for gradient, slope in zip(gradients, slopes, strict=True):
        assert off(gradient, slope) < 1e-4


@pytest.mark.parametrize(("temperature", "apart"), [(1e-3, 0.0), (1.0, 1e-6), (1e4, 0.0), (1e-3, 3.0)])
def test_contrast_of_equal_views_and_cold(temperature: float, apart: float) -> None:
    data = views(18, 3, apart)
    data[0][9:] = data[0][:9]
    once, again = (contrast(data, temperature, True) for _ in range(2))
    for one, two in zip(once, again, strict=True):
        assert one.isfinite().all() and torch.equal(one, two)


def test_contrast_far_below_one_keeps_its_digits() -> None:
    """Others have a share of 1e-20: 1 minus it is 1 even in double precision, which leaves the pair without a pull."""
    first, second = exact_views()
    features = [view.float().requires_grad_() for view in (first, second)]
    value = contrastive_loss(*map(geometry.lift, features), 0.05)
    doubles = [view.requires_grad_() for view in (first, second)]
    one, other = map(geometry.lift, doubles)
    own = -geometry.distance(one, other) / 0.05
    logits = -geometry.arcosh_one_plus(geometry.pairwise_excess(one, other)) / 0.05
    others = torch.diagonal_scatter(logits, torch.full_like(own, -torch.inf))
    sums = torch.stack([others.logsumexp(0), others.logsumexp(1)]) - own
    assert float(sums.detach().max()) < -40
    expected = torch.log1p(sums.exp()).mean()
    assert off(value.detach(), expected.detach()) < 1e-3
    for slope, exact in zip(torch.autograd.grad(value, features), torch.autograd.grad(expected, doubles), strict=True):
        assert off(slope, exact) < 1e-3


def exact_views() -> tuple[Tensor, Tensor]:
    """Two views of 12 points in double precision."""
    rng = torch.Generator().manual_seed(3)
    first = (3 * torch.randn(12, 6, generator=rng)).double()
    return first, first + (0.3 * torch.randn(12, 6, generator=rng)).double()
