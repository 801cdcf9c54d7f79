"""The method: its options, and the best tree found in training."""

from __future__ import annotations

from hypcse._checks import check_count
from hypcse._threads import worker_threads
from hypcse.methods.hyphc.similarity import unit_rows
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Watch, check_positive, check_rate
from hypcse.tree import Tree

# The radius of the leaves stays between these limits, as in the published code.
RADII = (0.01, 0.999)


def hyphc(
    inputs: Inputs,
    *,
    temperature: float = 0.01,
    learning_rate: float = 1e-3,
    n_epochs: int = 50,
    n_triples: int | None = None,
    batch_size: int = 256,
    start_radius: float = 0.01,
    anneal_every: int = 20,
    anneal_factor: float = 1.0,
    max_seconds: float | None = None,
) -> Tree:
    """Hyperbolic hierarchical clustering (Chami et al., 2020) from the cosine similarities of the features.

    Leaves lie on one circle of the hyperbolic disk, start at random and are moved by Adam to lower the `triplet_loss`
    of random triples. After every epoch they are decoded by `decode_single`, and the tree with the lowest Dasgupta cost
    on the complete graph of similarities is kept; the start counts too.

    Similarities are (1 + cosine) / 2 of the features, standardised to mean 0 and variance 1.

    temperature   : t of the loss.
    n_triples     : number of new triples per epoch; None for 100 per point, at least 100,000.
    start_radius  : radius of the circle at the start, between 0.01 and 0.999; it is learned too.
    anneal_every, anneal_factor : every so many epochs, temperature and learning rate are multiplied by the factor.
    max_seconds   : checked after each epoch.

    O(n_triples d) per epoch, O(n d) memory.
    """
    check_positive("temperature", temperature)
    check_rate(learning_rate)
    check_positive("anneal_factor", anneal_factor)
    check_count("n_epochs", n_epochs, 1)
    check_count("batch_size", batch_size, 1)
    check_count("anneal_every", anneal_every, 1)
    if not RADII[0] <= check_positive("start_radius", start_radius) <= RADII[1]:
        raise ValueError(f"start_radius={start_radius} must lie between {RADII[0]} and {RADII[1]}.")
    n_triples = count_triples(inputs.n_points) if n_triples is None else check_count("n_triples", n_triples, 1)
    rows = unit_rows(inputs.raw)
    if len(rows) == 1:
        return Tree.single()
    watch = Watch(n_epochs, inputs.callback, max_seconds, "dasgupta")
    from hypcse.methods.hyphc.training import Training

    with worker_threads(None, inputs.n_points, trains=True):
        run = Training(rows, start_radius, learning_rate, inputs.random_state)
        for epoch in range(1, n_epochs + 1 if len(rows) > 2 else 1):
            loss = run.epoch(n_triples, batch_size, temperature)
            run.evaluate()
            if watch.stops(epoch, loss, run.best):
                break
            if epoch % anneal_every == 0:
                temperature *= anneal_factor
                run.anneal(anneal_factor)
    return run.tree


def count_triples(n_points: int) -> int:
    """Triples drawn in an epoch: 100 per point, at least 100,000."""
    return max(100 * n_points, 100_000)
