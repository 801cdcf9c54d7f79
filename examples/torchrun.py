"""Training by several processes: `torchrun --nproc-per-node 2 torchrun.py`; `python torchrun.py` trains in one."""

import os

import hypcse
from hypcse.neural.training import TrainingOptions

X, y = hypcse.datasets.load("optical-digits")
X = X[:600]

# Four subgraphs of 150 points make an epoch. They are dealt over the processes, two of which make a step of two.
model = hypcse.HypCSE(n_epochs=5, random_state=0, training=TrainingOptions(batch_size=150)).fit(X)

# Every process has the same model now; one of them tells.
if os.environ.get("RANK", "0") == "0":
    n_processes = os.environ.get("WORLD_SIZE", "1")
    print(f"{n_processes} processes, {len(model.history_)} epochs, last loss {model.history_[-1].losses.total:.4f}")
    print(f"entropy {model.entropy_:.4f}, clusters at each level: {[int(level.max()) + 1 for level in model.levels_]}")
