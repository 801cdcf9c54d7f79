"""Adam where nothing is curved, geoopt's where a parameter lives on a manifold."""

from __future__ import annotations

import geoopt
import pytest
import torch
from geoopt.optim import RiemannianAdam

from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.terms import Networks, optimizer_of


def moved(make, weight_decay, n_steps=20):
    """Weights after so many steps towards a target, from the same start."""
    draws = torch.Generator().manual_seed(0)
    weights = [torch.nn.Parameter(torch.randn(shape, generator=draws)) for shape in ((5, 3), (4,), ())]
    optimizer = make(weights, 0.05, weight_decay)
    for _ in range(n_steps):
        optimizer.zero_grad()
        sum(((weight - 1) ** 4).sum() for weight in weights).backward()
        optimizer.step()
    return [weight.detach() for weight in weights]


def riemannian(weights, learning_rate, weight_decay):
    return RiemannianAdam(weights, lr=learning_rate, weight_decay=weight_decay)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_without_curvature_both_make_the_same_steps(weight_decay):
    """But for rounding, also with weight decay."""
    for ours, theirs in zip(moved(optimizer_of, weight_decay), moved(riemannian, weight_decay), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("learner", ["mlp", "gcn"])
@pytest.mark.parametrize("aggregation", ["mean", "attention"])
def test_no_weight_of_the_networks_is_curved(learner, aggregation):
    config = TrainingConfig(learner=learner, aggregation=aggregation)
    networks = Networks(3, config, torch.Generator().manual_seed(0))
    assert type(optimizer_of(networks.parameters(), 0.01)) is torch.optim.Adam


def test_a_point_on_a_manifold_stays_there():
    """One curved parameter among others is enough, and it goes where the loss is low."""
    ball = geoopt.PoincareBall()
    point = geoopt.ManifoldParameter(torch.tensor([0.9, 0.0]), manifold=ball)
    goal = torch.tensor([0.0, 0.99])
    flat = torch.nn.Parameter(torch.ones(2))
    optimizer = optimizer_of(iter([flat, point]), 0.1)
    assert type(optimizer) is RiemannianAdam
    start = ball.dist(point, goal).item()
    for _ in range(200):
        optimizer.zero_grad()
        (ball.dist(point, goal) + flat.square().sum()).backward()
        optimizer.step()
        assert point.norm() < 1
    assert ball.dist(point, goal) < start / 10
    assert flat.abs().max() < 0.1
