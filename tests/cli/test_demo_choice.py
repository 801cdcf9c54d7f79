"""Which tree the demo shows."""

from __future__ import annotations

import pytest

from hypcse.cli.demo import least_entropy


@pytest.mark.parametrize(
    ("entropies", "seconds", "best"),
    [
        ((2.2, 2.1, 2.3), (1, 9, 1), 1),
        ((2.10001, 2.10004, 2.2), (9, 1, 0), 1),
        ((2.1, 2.1), (1, 1), 0),
    ],
)
def test_the_quickest_of_equal_entropies_is_shown(entropies, seconds, best):
    """Equal to the digits that the table prints."""
    rows = [{"structural_entropy": e, "seconds": s} for e, s in zip(entropies, seconds, strict=True)]
    assert least_entropy(rows) == best
