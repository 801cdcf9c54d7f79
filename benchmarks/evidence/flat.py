"""One known partition: public tables, curves and blobs, planted groups, background, minorities, and outliers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy.spatial import KDTree
from sklearn import datasets

from benchmarks.evidence.data import Case, Data, Floats, Labels
from benchmarks.first_answer.verdicts import NOISE
from hypcse import Graph
from hypcse._random import generator
from hypcse.datasets import available, load

N_POINTS = 1000
N_BLOBS = 5
GAP = 8.0
"""Distance of minorities in every column, in standard deviations."""
OUTLIER_KINDS = ("blobs", "unequal blobs", "moons")


def cases() -> Iterator[Case]:
    """Public tables, made ones, and planted partitions of graphs."""
    for name in available():
        yield Case(name, "public tables", partial(_public, name), drawn=False)
    yield Case("breast-cancer-diagnostic", "public tables", _diagnostic, drawn=False)
    yield Case("moons", "made tables", partial(_curves, "make_moons"))
    yield Case("circles", "made tables", partial(_curves, "make_circles", factor=0.5))
    for name, side, spreads, shear in (
        ("densities", 10, [0.5, 1.0, 2.5], ((1, 0), (0, 1))),
        ("stretched", 6, [1.0] * 3, ((0.6, -0.6), (-0.4, 0.8))),
        ("apart", 12, [1.0] * 5, ((1, 0), (0, 1))),
    ):
        yield Case(f"blobs-{name}", "made tables", partial(_blobs, side, spreads, shear))
    for n_groups, size, inside, between in ((20, 50, 0.3, 0.02), (20, 100, 0.2, 0.05), (10, 100, 0.15, 0.03)):
        name = f"partition-{n_groups}x{size}-{inside:g}-{between:g}"
        yield Case(name, "planted graphs", partial(planted, name, n_groups, size, inside, between), kind="graph")


def _public(name: str, _: int) -> Data:
    X, y = load(name)
    return Data((y,), X)


def _diagnostic(_: int) -> Data:
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return Data((y,), X)


def _curves(maker: str, seed: int, **options: Any) -> Data:
    X, y = getattr(datasets, maker)(N_POINTS, random_state=seed, noise=0.05, **options)
    return Data((y,), X)


def _blobs(side: float, spreads: list[float], shear: Any, seed: int) -> Data:
    """Gaussians at the corners of a regular polygon around the origin."""
    angles = 2 * np.pi * np.arange(len(spreads)) / len(spreads)
    centers = side / (2 * np.sin(np.pi / len(spreads))) * np.column_stack([np.cos(angles), np.sin(angles)])
    X, y = datasets.make_blobs(N_POINTS, random_state=seed, centers=centers, cluster_std=spreads)
    return Data((y,), X @ np.array(shear))


def planted(name: str, n_groups: int, size: int, inside: float, between: float, seed: int) -> Data:
    """A random graph with more edges inside groups than between them; the order of the vertices tells nothing."""
    rng = generator(seed, f"flat {name}")
    y = rng.permutation(np.repeat(np.arange(n_groups), size))
    i, j = np.nonzero(np.triu(rng.random((y.size, y.size)) < np.where(y[:, None] == y, inside, between), 1))
    return Data((y,), graph=Graph.from_edges(i, j, n=y.size))


def noise_cases() -> Iterator[Case]:
    """Tables of one law and random graphs: one cluster is right."""
    laws = ("uniform", "normal", "t of 2 degrees", "lognormal")
    for name in (*(f"{law}, {d} columns" for law, d in product(laws, (2, 8, 32))), "random 10-regular graph"):
        kind = "graph" if name.endswith("graph") else "table"
        yield Case(name, f"{kind}s", partial(_noise, name), kind=kind)


def _noise(name: str, seed: int) -> Data:
    drawn = NOISE[name](seed)
    if isinstance(drawn, Graph):
        return Data((np.zeros(drawn.n_vertices, np.int64),), graph=drawn)
    return Data((np.zeros(len(drawn), np.int64),), np.asarray(drawn, np.float64))


def background_cases() -> Iterator[Case]:
    """Blobs among points that are spread evenly over the box around them."""
    for d, share in product((2, 8), (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)):
        yield Case(f"{share:.0%} in {d} columns", f"{d} columns", partial(_background, d, share), share)


def _background(d: int, share: float, seed: int) -> Data:
    rng = generator(seed, f"background {d} {share:g}")
    n_noise = round(share * N_POINTS)
    X, y = _clusters("blobs", d, N_POINTS - n_noise, rng)
    low, high = X.min(axis=0), X.max(axis=0)
    order = rng.permutation(N_POINTS)
    points = np.concatenate([X, rng.uniform(low, high, size=(n_noise, d))])
    return Data((np.concatenate([y, np.full(n_noise, -1)])[order],), points[order])


def minority_cases() -> Iterator[Case]:
    """One normal cloud, and one or two groups far from it."""
    for shares, d in product(((0.2,), (0.1,), (0.05,), (0.02,), (0.05, 0.05), (0.02, 0.02)), (2, 4, 10)):
        named = " + ".join(f"{share:.0%}" for share in shares)
        yield Case(f"{named} in {d} columns", named, partial(_minorities, shares, d))


def _minorities(shares: tuple[float, ...], n_columns: int, seed: int) -> Data:
    """Groups of these shares of the points, the second on the other side of the cloud than the first."""
    rng = np.random.default_rng(seed)
    y = np.zeros(N_POINTS, np.int64)
    for k, (begin, end) in enumerate(pairwise(np.cumsum([0, *(round(N_POINTS * share) for share in shares)]))):
        y[begin:end] = k + 1
    rng.shuffle(y)
    places = GAP * np.array([0.0, 1.0, -1.0])
    return Data((y,), rng.normal(size=(N_POINTS, n_columns)) + places[y][:, None])


def outlier_cases() -> Iterator[Case]:
    """Clusters and points outside what is usual in every one of them."""
    for kind, d, share in product(OUTLIER_KINDS, (2, 8, 32), (0.01, 0.05, 0.2)):
        yield Case(f"{kind}, {d} columns, {share:.0%}", kind, partial(_outliers, kind, d, share))


def _outliers(kind: str, dim: int, share: float, seed: int) -> Data:
    rng = np.random.default_rng([OUTLIER_KINDS.index(kind), dim, round(100 * share), seed])
    n_outliers = round(share * N_POINTS)
    X, y = _clusters(kind, dim, N_POINTS - n_outliers, rng)
    low, high = X.min(axis=0), X.max(axis=0)
    trees = [KDTree(X[y == label]) for label in range(y.max() + 1)]
    limits = [1.5 * np.quantile(tree.query(tree.data, 2)[0][:, 1], 0.995) for tree in trees]
    outliers: list[Floats] = []
    while len(outliers) < n_outliers:
        point = (low + high) / 2 + 0.6 * (high - low) * rng.uniform(-1, 1, dim)
        if all(tree.query(point)[0] > limit for tree, limit in zip(trees, limits, strict=True)):
            outliers.append(point)
    order = rng.permutation(N_POINTS)
    points = np.concatenate([X, np.reshape(outliers, (n_outliers, dim))])
    return Data((np.concatenate([y, np.full(n_outliers, -1)])[order],), points[order])


def _clusters(kind: str, dim: int, n_points: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Two moons, with small noise in further columns, or five blobs, four deviations of both apart."""
    if kind == "moons":
        moons, y = datasets.make_moons(n_points, noise=0.06, random_state=int(rng.integers(2**31)))
        X = np.concatenate([moons, 0.06 * rng.normal(size=(n_points, dim - 2))], axis=1)
        return X @ np.linalg.qr(rng.normal(size=(dim, dim)))[0], y
    deviations = np.ones(N_BLOBS) if kind == "blobs" else np.geomspace(0.3, 3, N_BLOBS)
    centers = np.empty((0, dim))
    while len(centers) < N_BLOBS:
        center = rng.uniform(-1, 1, dim) * 22 / dim**0.25
        apart = 4 * (deviations[: len(centers)] + deviations[len(centers)])
        if (np.linalg.norm(centers - center, axis=1) > apart).all():
            centers = np.concatenate([centers, center[None]])
        elif rng.random() < 0.001:
            centers = np.empty((0, dim))
    y = rng.integers(N_BLOBS, size=n_points)
    return centers[y] + deviations[y, None] * rng.normal(size=(n_points, dim)) / (dim / 2) ** 0.25, y
