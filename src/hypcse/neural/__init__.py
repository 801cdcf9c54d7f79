"""Everything that trains, and imports torch: geometry, encoder, graph learner, losses, decoding, training, HypCSE."""

import hypcse.neural.backend  # noqa: F401
