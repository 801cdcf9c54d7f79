"""A corpus with planted topics: three fields of three subjects each, every text a bag of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIELDS = {
    "kitchen taste plate recipe spoon dinner": (
        "bread flour yeast dough oven crust",
        "soup broth onion carrot simmer ladle",
        "cake sugar butter icing cream sponge",
    ),
    "orbit sky telescope gravity night astronomer": (
        "planet moon ring crater surface atmosphere",
        "rocket launch engine fuel booster payload",
        "galaxy cluster redshift quasar spiral dust",
    ),
    "team score referee season coach fans": (
        "football goal striker penalty keeper pitch",
        "tennis racket serve volley court set",
        "cycling sprint climb peloton stage gear",
    ),
}
COMMON = "people time often good small year long work place many"


def make_corpus(n_texts: int, seed: int = 0) -> tuple[list[str], NDArray[np.int64]]:
    """Texts, and the subject of each, 0 to 8; its field is that over 3."""
    rng = np.random.default_rng(seed)
    subjects = [(field.split(), subject.split()) for field, three in FIELDS.items() for subject in three]
    chosen = rng.integers(len(subjects), size=n_texts)
    texts = []
    for number in chosen:
        field, subject = subjects[number]
        words = [*rng.choice(subject, 8), *rng.choice(field, 6), *rng.choice(COMMON.split(), 8)]
        texts.append(" ".join(rng.permutation(words)))
    return texts, chosen
