"""Points as a file or a data set gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Points:
    """Features (n, d), and where known a label and a name for each point, and a title for each column."""

    features: NDArray[np.float64]
    labels: NDArray[np.generic] | None = None
    names: tuple[str, ...] | None = None
    titles: tuple[str, ...] | None = None
