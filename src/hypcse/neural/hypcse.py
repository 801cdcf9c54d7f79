"""`HypCSE`: leaves in the hyperbolic ball, trained to lower the structural entropy of their tree."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator, RandomState
from sklearn.base import ClusterMixin

from hypcse._checks import check_choice
from hypcse._choices import Bandwidth, Epochs, Metric, Preset, Refine, Scale
from hypcse._progress import Callback
from hypcse._threads import launched_place
from hypcse.estimators.attributes import FITTED
from hypcse.estimators.base import Fitting
from hypcse.estimators.entropy_clustering import effort_of
from hypcse.estimators.preparing import Prepared
from hypcse.estimators.saved import Attributes
from hypcse.neural.backend import choose_device
from hypcse.neural.trained import ENCODED, Embedding, check_fit_memory, encoder_inputs
from hypcse.neural.training.config import PRESETS, Setup, TrainingConfig, TrainingOptions, count_epochs, fill_options
from hypcse.neural.training.loop import check_checkpoints, fit
from hypcse.neural.training.ranks import join_ranks
from hypcse.partitions.evidence import UNTESTED
from hypcse.partitions.nested_levels import levels
from hypcse.tree import Tree


class HypCSE(Embedding, ClusterMixin, Fitting):
    """Hierarchical clustering by continuous structural entropy in hyperbolic space: the system of the paper.

    What training adds to `EntropyClustering`, whose contract this is: an encoder, and with it `embedding_` (places in
    the hyperbolic ball) and `transform` for new points. What it does not add: a better tree. On the seven data sets of
    the paper both find the same entropy to the third digit, and training takes several times as long. Take it for the
    embedding, for the paper's figures (`preset="paper"`), or to train with other losses.

    Features are scaled, their similarity graph is encoded, and the encoder is trained to lower Eq. (17); the best tree
    that decoding finds on the way is refined. Parameters that are None are filled by the preset, and what it leaves
    open by defaults. Ctrl-C ends training with a warning, and the best tree so far is refined.

    Parameters
    ----------
    n_clusters, min_cluster_size, mark_outliers
        As in `EntropyClustering`.
    preset
        "default", or "paper" for the authors' way: single-linkage decoding, no refinement.
    n_neighbors, bandwidth, scale, metric
        As in `EntropyClustering`.
    refine
        Whether the tree is refined: True or "fast", "thorough", False. Linkage on the graph is then a second start, so
        that the answer is never worse than the search's own.
    random_state
        As in `EntropyClustering`.
    callback
        Called with a `Progress` after every epoch and every part of the refinement; return True to stop the one or the
        other and keep the best so far.
    device
        Where the networks live: "auto" (a GPU where there is one), "cpu", "cuda", or any other name that torch knows.
    n_jobs
        As in `EntropyClustering`.
    verbose
        1 draws a progress bar on standard error, and at the end writes a line with the entropy.
    n_epochs
        Passes over the data. "auto" is at most 30, fewer for more than 2,048 points and at least 2; each is evaluated,
        and training ends when 10 in a row, or the same share of fewer, bring no better tree.
    learning_rate
        Of the optimizer, 0.003.
    embed_dim
        Dimension of `embedding_`, 16.
    cse_temperature
        Temperature t1 of Eq. (9), 1.
    contrast_temperature
        Temperature t2 of Eq. (15), 1.
    training
        Further options of training, a `TrainingOptions`: the networks, the losses, the subgraphs, checkpoints. They
        are searched and set as `training__dropout` and so on.

    Attributes
    ----------
    tree_, labels_, levels_, linkage_matrix_, children_, distances_, graph_, bandwidth_, entropy_
        The hierarchy, the flat clusters, the forms of the tree, and the graph with it, as in `EntropyClustering`.
    structure_, stability_, outlier_scores_, probabilities_, n_features_in_, feature_names_in_
        As in `EntropyClustering`.
    embedding_
        (n, embed_dim) the leaves in the ball.
    history_
        One `TrainingStep` per epoch.

    Examples
    --------
    >>> import hypcse
    >>> X, y = hypcse.datasets.load("optical-digits")
    >>> model = HypCSE(n_clusters=3, n_epochs=1).fit(X[:100])
    >>> model.labels_.max()
    np.int64(2)
    """

    _stored = FITTED | ENCODED
    least_points = 2

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int | None = None,
        mark_outliers: bool = False,
        preset: Preset = "default",
        n_neighbors: int = 10,
        bandwidth: Bandwidth = "auto",
        scale: Scale = "minmax",
        metric: Metric = "euclidean",
        refine: Refine = None,
        random_state: int | RandomState | Generator | None = 0,
        callback: Callback | None = None,
        device: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
        n_epochs: Epochs | None = None,
        learning_rate: float | None = None,
        embed_dim: int | None = None,
        cse_temperature: float | None = None,
        contrast_temperature: float | None = None,
        training: TrainingOptions | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_cluster_size = min_cluster_size
        self.mark_outliers = mark_outliers
        self.preset = preset
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.metric = metric
        self.refine = refine
        self.random_state = random_state
        self.callback = callback
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.embed_dim = embed_dim
        self.cse_temperature = cse_temperature
        self.contrast_temperature = contrast_temperature
        self.training = training

    def _check_parameters(self) -> None:
        options = self._options()
        effort_of(options.pop("refine"))
        n_epochs = options.pop("n_epochs")
        TrainingConfig(**options, n_epochs=1 if n_epochs == "auto" else n_epochs)
        training = self._training()
        check_checkpoints(None if launched_place().number else training.checkpoint_dir, training.checkpoint_every)

    def _check_size(self, n_points: int) -> None:
        check_fit_memory(n_points, self.n_neighbors, self._options(), "cluster a sample")

    def _grow(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        options, training = self._options(), self._training()
        effort = effort_of(options.pop("refine"))
        config = TrainingConfig(**count_epochs(options, ready.graph.n_vertices))

        def finish(tree: Tree) -> Tree:
            # Decoding on the graph and the search go by edges, which do not order components.
            by_edges = config.decoder == "graph" or effort is not None
            return ready.search(seed, callback, effort=effort, starts=[tree]) if by_edges else tree

        with join_ranks(choose_device(self.device)) as (ranks, device):
            setup = Setup(encoder_inputs(ready, seed), ready.graph, config, seed, device)
            folder, every = training.checkpoint_dir, training.checkpoint_every
            trained = fit(setup, callback, checkpoint_dir=folder, checkpoint_every=every, ranks=ranks)
            tree = ranks.first(lambda: finish(trained.tree))
        return tree, {
            "embedding_": trained.leaves,
            "history_": trained.history,
            "_config": config,
            "_state": trained.state,
            "_encoded_on": trained.encoded_on,
        }

    @staticmethod
    def _filled(model: Any, values: Attributes) -> Attributes:
        # Models of before 0.2 have no levels, and were not compared with chance.
        missing = {**Fitting._filled(model, values), "structure_": UNTESTED, "_stability": None}
        if "levels_" not in values and {"tree_", "graph_"} <= values.keys():
            missing["levels_"] = levels(values["tree_"], values["graph_"])
        return missing

    def _options(self) -> dict[str, Any]:
        check_choice("preset", self.preset, Preset)
        return fill_options(PRESETS[self.preset], {**self.get_params(deep=False), **self._training().get_params()})
