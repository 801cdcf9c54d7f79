"""The anchor update, Eq. (13), against its dense form, Eq. (28)."""

from __future__ import annotations

import torch
from edge_strategies import edge_tensors, is_sound, pairs, seeded, two_views
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from graph_strategies import dense
from hypcse.neural.graph_learner import proposed_pairs
from hypcse.neural.graph_learner import update_anchor as update
from hypcse.neural.tensors import EdgeTensors

rates = st.sampled_from([0.0, 0.3, 0.9, 1.0])


def update_parts(anchor, parts, decay, generator, **options):
    """By learned graphs on subgraphs, (graph, vertices) each."""
    result = [(vertices, proposed_pairs(learned, vertices)) for learned, vertices in parts]
    return update(anchor, result, decay, generator, **options)


def update_anchor(anchor, learned, decay, generator, **options):
    return update_parts(anchor, [(learned, torch.arange(anchor.n_vertices))], decay, generator, **options)


def random_graph(n, n_edges, seed):
    """Distinct random edges with random weights."""
    upper = torch.triu_indices(n, n, 1)
    chosen = torch.randperm(upper.shape[1], generator=seeded(seed))[:n_edges]
    return EdgeTensors.from_pairs(upper[:, chosen], torch.rand(n_edges, generator=seeded(seed + 1)) + 0.1, n)


@given(two_views(), rates, st.integers(0, 9), st.booleans())
def test_sound_and_made_of_both(views, decay, seed, rescale):
    """Symmetric, no loops; edges of both stay with the anchor's weight, others with their own or the rescaled one."""
    anchor, learned = views
    updated = update_anchor(anchor, learned, decay, seeded(seed), rescale=rescale)
    assert is_sound(updated)
    assert pairs(anchor) & pairs(learned) <= pairs(updated) <= pairs(anchor) | pairs(learned)
    factor = anchor.weight.mean() / learned.weight.mean() if rescale and pairs(anchor) else 1.0
    old = dense(anchor)
    wanted = torch.where(old > 0, old, dense(learned) * (factor if pairs(learned) else 1.0))
    result = dense(updated)
    assert_close(result, torch.where(result > 0, wanted, 0.0))


@given(two_views(), st.integers(0, 9))
def test_decays_of_one_and_zero(views, seed):
    anchor, learned = views
    same = update_anchor(anchor, learned, 1.0, seeded(seed))
    assert torch.equal(same.index, anchor.index) and torch.equal(same.weight, anchor.weight)
    assert pairs(update_anchor(anchor, learned, 0.0, seeded(seed))) == pairs(learned)


def test_average_is_the_dense_update():
    """Over many draws every edge is there as often as Eq. (28) says: tau, 1 - tau, or always."""
    anchor, learned = (random_graph(7, 10, seed) for seed in (0, 3))
    anchor, learned = (view.with_weight(torch.ones_like(view.weight)) for view in (anchor, learned))
    assert pairs(anchor) & pairs(learned)
    generator, n_draws = seeded(), 2000
    mean = sum(dense(update_anchor(anchor, learned, 0.7, generator)) for _ in range(n_draws)) / n_draws
    # Six standard errors of a share of 0.7.
    assert (mean - (0.7 * dense(anchor) + 0.3 * dense(learned))).abs().max() < 6 * (0.21 / n_draws) ** 0.5


def test_expected_number_of_edges():
    """Two graphs with equally many edges: the anchor keeps that number on average, also after many updates."""
    anchor, learned = (random_graph(80, 1000, seed) for seed in (0, 3))
    generator, counts = seeded(), []
    for _ in range(40):
        updated = update_anchor(anchor, learned, 0.8, generator)
        counts.append(updated.once()[1].numel())
    # A count has a variance below 2 * 1000 * 0.16.
    assert abs(sum(counts) / len(counts) - 1000) < 6 * (320 / 40) ** 0.5
    assert len(set(counts)) > 5


def test_a_decay_near_one_still_changes_edges():
    """The released code rounds the number of edges down, to none at all here."""
    anchor, learned = (random_graph(80, 1000, seed) for seed in (0, 3))
    generator, changed = seeded(), 0
    for _ in range(400):
        changed += not torch.equal(update_anchor(anchor, learned, 0.9999, generator).index, anchor.index)
    assert changed > 10


@given(st.data(), rates, st.integers(0, 9))
def test_ids_of_two_subgraphs_are_mapped_back(data, decay, seed):
    """Learned edges land on their own vertices, in any order of ids; edges that leave a subgraph are not touched."""
    anchor = data.draw(edge_tensors(10))
    order = torch.tensor(data.draw(st.permutations(range(10))))
    parts = [(data.draw(edge_tensors(4)), order[:4]), (data.draw(edge_tensors(5)), order[4:9])]
    updated = update_parts(anchor, parts, decay, seeded(seed))
    assert is_sound(updated)
    inside, mapped = set(), set()
    for learned, vertices in parts:
        ids = vertices.tolist()
        inside |= {(i, j) for i, j in pairs(anchor) if i in ids and j in ids}
        mapped |= {tuple(sorted((ids[i], ids[j]))) for i, j in pairs(learned)}
    outside = pairs(anchor) - inside
    assert outside <= pairs(updated) <= pairs(anchor) | mapped
    if decay == 0:
        assert pairs(updated) == outside | mapped


def test_parts_one_by_one_are_all_at_once():
    anchor = random_graph(12, 30, 0)
    halves = [(random_graph(6, 9, seed), torch.arange(start, 12, 2)) for seed, start in ((3, 0), (5, 1))]
    one_by_one = anchor
    for half in halves:
        one_by_one = update_parts(one_by_one, [half], 0.0, seeded())
    assert pairs(update_parts(anchor, halves, 0.0, seeded())) == pairs(one_by_one)


def test_no_gradient_passes_and_same_seed_same_anchor():
    anchor, learned = (random_graph(20, 60, seed) for seed in (0, 3))
    learned = learned.with_weight(learned.weight.clone().requires_grad_())
    first, again = (update_anchor(anchor, learned, 0.5, seeded(4)) for _ in range(2))
    assert not first.weight.requires_grad
    assert torch.equal(first.index, again.index) and torch.equal(first.weight, again.weight)
