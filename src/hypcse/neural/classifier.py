"""`HypCSEClassifier`: the hierarchy's objective together with a few labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from hypcse._checks import check_choice
from hypcse._choices import Bandwidth, Features, Scale
from hypcse._progress import Callback, show_fit
from hypcse._random import seed_of
from hypcse._threads import worker_threads
from hypcse.entropy import structural_entropy
from hypcse.estimators.attributes import CLASSIFIED, SHARED, sizes_of_classes, sizes_of_points
from hypcse.estimators.base import Saved, restore_on_failure
from hypcse.estimators.labels import respect_labels
from hypcse.estimators.preparing import Prepared, prepare, take_points
from hypcse.estimators.similarities import Similarities
from hypcse.graph.similarity import check_similarity
from hypcse.kernels.warm import warm_up
from hypcse.neural.backend import choose_device
from hypcse.neural.class_scores import ClassScores, guess_labels, known_classes, validation_rows
from hypcse.neural.decode import decode_graph
from hypcse.neural.presets import training_options
from hypcse.neural.trained import ENCODED, check_fit_memory, encoder_inputs, n_inputs, sizes_of_encoder
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.labelled import Supervision, fit_labelled
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.tree.flat import by_size


class HypCSEClassifier(ClassScores, ClassifierMixin, Saved, BaseEstimator):
    """Classify points from a few labels and the structure of all points, by continuous structural entropy.

    The objective of `HypCSE` over all points, labelled or not, plus a margin loss on the labelled ones: each class has
    a prototype on the hyperboloid and a bias, trained with the encoder (the flexibility study of the paper, Table 3).
    Contrast with a learned graph and augmentation, which `HypCSE` uses, are off by default: labels take their place,
    and they cost time.

    Parameters
    ----------
    features
        Input of the encoder: "table", the scaled features; or "similarities", as in the paper: the first 10 principal
        components of the similarities to all points, O(n^2) in memory.
    label_weight
        Weight of the margin loss, relative to the objective of the hierarchy.
    guess_weight
        Weight of the labels that `spread_labels` finds for the other points before training, relative to the given
        ones. 0 trains only on the given labels, as in the paper.
    validation_fraction
        Share of the labels used to pick the best epoch instead of for training. If that is fewer than 10 labels, none
        are, and the last epoch counts.
    n_neighbors
        Number of neighbours per point in the similarity graph.
    bandwidth
        Width of the similarities: a number, "auto" or "median", as in `EntropyClustering`.
    scale
        How to scale the columns: "minmax", "standard", "rank" or "none"; see `scale_features`.
    random_state
        Seed of all random steps: an integer, None for a fresh seed, a `RandomState` or a `Generator`.
    callback
        Called with a `Progress` after every epoch and every part of the search for the tree. Return True to stop the
        current one and keep the best so far.
    device
        Where the networks live, as in `HypCSE`.
    n_jobs
        Number of threads; -1 for all, None for numba's default (or one for few points). It does not change the result.
    verbose
        1 shows a progress bar on standard error, and a final line with the entropy.
    n_epochs
        Passes over the data.
    learning_rate, weight_decay
        Settings of the optimiser.
    batch_size
        Number of vertices per subgraph in training.
    hidden_dim, embed_dim
        Dimensions of the encoder: inside, and of `embedding_`.
    dropout
        Share of values dropped inside the encoder's linear layers.
    edge_drop
        Share of edges dropped from each view.
    mask_anchor
        Share of feature columns masked.
    contrast_weight
        Weight of the contrastive loss in Eq. (17).
    learn_graph
        Whether the second view is the learned graph; otherwise both views augment the anchor.
    evaluate_every
        Epochs between two evaluations.

    Attributes
    ----------
    classes_
        The classes, sorted.
    transduction_
        (n,) a class for every point; given labels are kept.
    tree_, levels_
        The hierarchy of all points on a graph that respects the labels, see `respect_labels`, and its nested clusters,
        coarse to fine.
    embedding_
        (n, embed_dim) the leaves in the ball.
    prototypes_, biases_
        (n_classes, embed_dim + 1) points on the hyperboloid, and (n_classes,) numbers.
    validation_score_
        Accuracy that picked the epoch, or None.
    graph_
        The similarity graph, without labels.
    bandwidth_
        The width of its similarities.
    entropy_
        Structural entropy of the tree on that graph.
    history_
        One `TrainingStep` per epoch.
    n_features_in_, feature_names_in_
        Number of features, and their names if X has names.

    Examples
    --------
    >>> import hypcse, numpy as np
    >>> X, y = hypcse.datasets.load("optical-digits")
    >>> known = np.where(np.arange(200) < 100, y[:200], -1)
    >>> model = HypCSEClassifier(n_epochs=2).fit(X[:200], known)
    >>> model.transduction_.shape, model.predict(X[200:203]).shape
    ((200,), (3,))
    """

    metric = "euclidean"
    stored = SHARED | ENCODED | CLASSIFIED

    def __init__(
        self,
        *,
        features: Features = "table",
        label_weight: float = 100.0,
        guess_weight: float = 0.3,
        validation_fraction: float = 0.1,
        n_neighbors: int = 10,
        bandwidth: Bandwidth = "auto",
        scale: Scale = "minmax",
        random_state: int | RandomState | Generator | None = 0,
        callback: Callback | None = None,
        device: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
        n_epochs: int = 200,
        learning_rate: float = 1e-3,
        weight_decay: float = 5e-4,
        batch_size: int = 2048,
        hidden_dim: int = 128,
        embed_dim: int = 16,
        dropout: float = 0.0,
        edge_drop: float = 0.0,
        mask_anchor: float = 0.0,
        contrast_weight: float = 0.0,
        learn_graph: bool = False,
        evaluate_every: int = 5,
    ) -> None:
        self.features = features
        self.label_weight = label_weight
        self.guess_weight = guess_weight
        self.validation_fraction = validation_fraction
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.random_state = random_state
        self.callback = callback
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.hidden_dim = hidden_dim
        self.embed_dim = embed_dim
        self.dropout = dropout
        self.edge_drop = edge_drop
        self.mask_anchor = mask_anchor
        self.contrast_weight = contrast_weight
        self.learn_graph = learn_graph
        self.evaluate_every = evaluate_every

    def fit(self, X: Any, y: ArrayLike, graph: Any = None) -> HypCSEClassifier:
        """Learn from points, some of them labelled.

        Parameters
        ----------
        X
            Features, or a graph, as for `HypCSE.fit`.
        y
            One label per point; unlabelled is -1 among integers, and None or NaN among floats, strings and objects.
        graph
            A graph over the rows of X, to use instead of their similarity graph.

        Returns
        -------
        HypCSEClassifier
            The fitted model itself.
        """
        with restore_on_failure(self):
            self._fit(X, y, graph)
        return self

    def _fit(self, X: Any, y: ArrayLike, graph: Any) -> None:
        seed = seed_of(self.random_state)
        check_choice("features", self.features, Features)
        self._check_numbers()
        check_similarity(self.n_neighbors, self.bandwidth)
        given = take_points(self, X, graph, self.metric, 2, seed)
        classes, codes = known_classes(y, given.n_points)
        options = training_options(self.get_params(deep=False))
        config = TrainingConfig(**options)
        with worker_threads(self.n_jobs, given.n_points), show_fit(self) as callback:
            check_fit_memory(given.n_points, self.n_neighbors, options, "fit on a sample")
            warm_up()
            ready = prepare(given, self.n_neighbors, self.bandwidth, self.scale, self.metric)
            inputs, similarities = self._encoder_inputs(ready, seed)
            validation = validation_rows(codes, self.validation_fraction, seed)
            taught = np.where(validation, -1, codes)
            guesses = guess_labels(taught, ready, seed) if self.guess_weight > 0 else np.full(codes.size, -1, np.int64)
            weight = float(self.label_weight)
            known = Supervision(codes, validation, guesses, len(classes), weight, self.guess_weight * weight)
            device = choose_device(self.device)
            found = fit_labelled(inputs, ready.graph, config, known, seed, callback, device)
            respected = respect_labels(ready.graph, codes, random_state=seed)
            start = decode_graph(found.leaves, respected)
            tree = ready.search(seed, callback, graph=respected, starts=[start])
            best = np.where(codes >= 0, codes, found.scores.argmax(axis=1))
            nested = levels_and_main(tree, respected)
            self.keep(
                classes_=classes,
                transduction_=classes[best],
                tree_=tree.with_names(given.names),
                levels_=Levels(map(by_size, nested), nested.main),
                graph_=ready.graph,
                embedding_=found.leaves,
                prototypes_=found.prototypes,
                biases_=found.biases,
                validation_score_=found.accuracy,
                entropy_=float(structural_entropy(tree, ready.graph)),
                history_=found.history,
                _scores=found.scores,
                _inputs=inputs,
                _similarities=similarities,
                _scaler=ready.scaler,
                _scaled=ready.scaled,
                bandwidth_=ready.bandwidth,
                _seed=seed,
                _kinds=ready.points.kinds,
                _metric=ready.metric,
                _config=config,
                _state=found.state,
                _encoded_on=found.encoded_on,
            )

    def _encoder_inputs(self, ready: Prepared, seed: int) -> tuple[NDArray[np.float32], Similarities | None]:
        """The encoder's input, and how it is made from features."""
        if self.features == "table":
            return encoder_inputs(ready, seed), None
        if ready.scaled is None:
            raise ValueError("features='similarities' needs features to compare. Pass a table, or features='table'.")
        similarities = Similarities.learn(ready.scaled)
        return similarities.apply(ready.scaled), similarities

    @classmethod
    def sizes(cls, found: dict[str, Any]) -> dict[str, bool]:
        compared, width = found["_similarities"], n_inputs(found["_state"])
        n_columns = width if compared is None else compared.points.shape[1]
        return {**sizes_of_points(found, n_columns), **sizes_of_encoder(found), **sizes_of_classes(found, width)}

    def _check_numbers(self) -> None:
        if not 0 <= self.validation_fraction < 1:
            raise ValueError(f"validation_fraction={self.validation_fraction} must be from 0 to below 1; 0 uses none.")
        if not (np.isfinite(self.label_weight) and self.label_weight > 0):
            raise ValueError(f"label_weight={self.label_weight} must be finite and above 0.")
        if not (np.isfinite(self.guess_weight) and self.guess_weight >= 0):
            raise ValueError(f"guess_weight={self.guess_weight} must be finite and at least 0; 0 uses no guesses.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
