"""A step of a fixed shape, in full matrices, is the step over edges."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from hypcse import HypcseWarning, similarity_graph
from hypcse.neural.training.config import Setup, TrainingConfig
from hypcse.neural.training.fixed import CaptureError, FixedSteps, can_be_fixed
from hypcse.neural.training.run import Run

pytestmark = pytest.mark.usefixtures("interpreter")

N = 10
SMALL = {"hidden_dim": 5, "embed_dim": 3, "projection_dim": 3, "learner_neighbors": 3}
STILL = {"dropout": 0.0, "edge_drop": 0.0, "mask_learner": 0.0, "mask_anchor": 0.0}


def started(n: int = N, **options) -> tuple[Run, FixedSteps]:
    """A training about to begin, without any draws in the projector, and its fixed steps."""
    X = np.random.default_rng(0).random((n, 3)).astype(np.float32)
    config = TrainingConfig(**SMALL, **options)
    run = Run(Setup(X, similarity_graph(X, n_neighbors=3), config))
    run.networks.projector.first.dropout = run.networks.projector.second.dropout = 0.0
    return run, FixedSteps()


def gradients(run: Run) -> torch.Tensor:
    return torch.cat([p.grad.flatten() for p in run.networks.parameters() if p.grad is not None])


@pytest.mark.parametrize(
    "options",
    [
        {"learner_similarity": "gaussian", "learner": "mlp"},
        {"learner_similarity": "cosine", "learner": "gcn"},
        {"learn_graph": False},
        {"contrast_weight": 0.0},
    ],
)
def test_losses_gradients_and_learned_graph(options: dict) -> None:
    (one, _), (other, fixed) = started(**STILL, **options), started(**STILL, **options)
    expected, graph = one.step((torch.arange(N), one.anchor, one.features))
    assert fixed.takes(other.anchor)
    result, learned = fixed.step(other, other.features, other.anchor)
    torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)
    norm = float(torch.linalg.vector_norm(gradients(one)))
    assert float(torch.linalg.vector_norm(gradients(one) - gradients(other))) < 1e-4 * norm
    assert (learned is None) == (graph is None)
    if learned is not None and graph is not None:
        assert torch.equal(learned.index, graph.index)
        torch.testing.assert_close(learned.weight, graph.weight, rtol=1e-4, atol=1e-5)


def test_a_subgraph_with_fewer_edges_leaves_no_trace() -> None:
    """Entries of the one before have weight 0 and are read by nothing."""
    run, fixed = started(**STILL)
    fewer = run.anchor.index[0] + run.anchor.index[1] != 9
    some = type(run.anchor)(run.anchor.index[:, fewer], run.anchor.weight[fewer], N)
    assert some.weight.numel() < run.anchor.weight.numel()
    last, again = started(**STILL)
    fixed.step(run, run.features, run.anchor)
    run.networks.load_state_dict(last.networks.state_dict())
    result, _ = fixed.step(run, run.features, some)
    expected, _ = again.step(last, last.features, some)
    assert torch.equal(result, expected)


def test_on_the_cpu_steps_are_not_fixed() -> None:
    run, _ = started(**STILL)
    assert not can_be_fixed(run.features, run.config) and run.fixed is None


def test_more_edges_than_room_make_a_step_with_more() -> None:
    run, fixed = started(**STILL)
    fixed.step(run, run.features, run.anchor)
    step = fixed.by_size[N]
    step.capacity = 1
    fixed.step(run, run.features, run.anchor)
    assert fixed.by_size[N] is not step


def test_a_subgraph_without_edges_is_left_to_others() -> None:
    """Also where its number of vertices is known."""
    run, fixed = started(**STILL)
    fixed.by_size[N] = None  # type: ignore[assignment]
    assert fixed.takes(run.anchor)
    assert not fixed.takes(type(run.anchor)(run.anchor.index[:, :0], run.anchor.weight[:0], N))


def test_without_edges_nothing_measured_is_nan() -> None:
    from hypcse.neural.triton.leaves import LOG_VOLUME, UNIT, measure

    empty = torch.empty(2, 0, dtype=torch.int64), torch.empty(0)
    result = measure(*empty, torch.full((4,), 0.5), 1)
    assert result.isfinite().all() and result[LOG_VOLUME.value] == 0 and result[UNIT.value] == 0


def test_after_a_failed_capture_plain_steps_are_taken() -> None:
    (one, _), (other, fixed) = started(**STILL), started(**STILL)

    class Failing:
        capacity = 10**6

        def __call__(self, *data: object) -> None:
            raise CaptureError("out of memory")

    fixed.by_size[N] = Failing()  # type: ignore[assignment]
    other.fixed = fixed
    part = torch.arange(N), other.anchor, other.features
    with pytest.warns(HypcseWarning, match="captured as a CUDA graph: out of memory; the training goes on"):
        result, _ = other.step(part)
    assert torch.equal(result, one.step((torch.arange(N), one.anchor, one.features))[0])
    assert not fixed.takes(other.anchor) and not fixed.by_size


def test_a_failed_capture_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the device is asked for is noted here; there is none."""
    run, fixed = started(**STILL)
    fixed.step(run, run.features, run.anchor)
    step, noted = fixed.by_size[N], []

    class Drawing:
        def clone_state(self) -> str:
            return "drawn"

        def graphsafe_set_state(self, state: str) -> None:
            noted.append(state)

    run.draws = Drawing()  # type: ignore[assignment]
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "current")
    monkeypatch.setattr(torch.cuda, "set_stream", noted.append)
    failing = SimpleNamespace(register_generator_state=lambda draws: torch.zeros(2) @ torch.zeros(3))
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: failing)
    with pytest.raises(CaptureError, match="size"):
        step._capture(run, None)  # type: ignore[arg-type]
    assert noted == ["current", "drawn"] and not any(p.grad is not None for p in run.networks.encoder.parameters())
