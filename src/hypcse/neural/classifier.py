"""`HypCSEClassifier`: the hierarchy's objective together with a few labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import check_choice, check_number
from hypcse._choices import Bandwidth, Features, Scale
from hypcse._progress import Callback, show_fit
from hypcse._random import seed_of
from hypcse._threads import worker_threads
from hypcse.entropy import structural_entropy
from hypcse.estimators.attributes import SHARED
from hypcse.estimators.base import restore_on_failure
from hypcse.estimators.labels import respect_labels
from hypcse.estimators.preparing import Prepared, prepare, take_points
from hypcse.estimators.saved import Saved
from hypcse.graph.similarity import GraphOptions
from hypcse.kernels.warm import warm_up
from hypcse.neural.backend import choose_device
from hypcse.neural.classes import CLASSIFIED, Similarities
from hypcse.neural.decode import decode_graph
from hypcse.neural.encoder import class_scores
from hypcse.neural.trained import ENCODED, Embedding, check_fit_memory, encoder_inputs
from hypcse.neural.training.config import CLASSIFIER, Setup, TrainingConfig, TrainingOptions, fill_options
from hypcse.neural.training.labeled import LabeledRun, known_classes, supervise
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.tree.flat import by_size


class HypCSEClassifier(Embedding, ClassifierMixin, Saved, BaseEstimator):
    """Classify points from a few labels and the structure of all points, by continuous structural entropy.

    The objective of `HypCSE` over all points, labeled or not, plus a margin loss on the labeled ones: each class has
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
    n_neighbors, bandwidth, scale, random_state
        As in `HypCSE`.
    callback
        Called with a `Progress` after every epoch and every part of the search for the tree. Return True to stop the
        current one and keep the best so far.
    device, n_jobs, verbose
        As in `HypCSE`.
    n_epochs, learning_rate, embed_dim
        As in `HypCSE`; by default 200 epochs at a rate of 0.001, and 16 dimensions.
    training
        Further options of training, a `TrainingOptions`, as in `HypCSE`. What differs by default: nothing is dropped or
        masked, `contrast_weight` is 0 and `learn_graph` False. There is no decoder, `select_on` or checkpoint.

    Attributes
    ----------
    classes_, transduction_
        The classes, sorted, and (n,) one of them for every point; given labels stay.
    tree_, levels_
        The hierarchy of all points on a graph that respects the labels, see `respect_labels`, and its nested clusters,
        coarse to fine.
    embedding_
        (n, embed_dim) the leaves in the ball.
    prototypes_, biases_
        (n_classes, embed_dim + 1) points on the hyperboloid, and (n_classes,) numbers.
    validation_score_
        Accuracy that picked the epoch, or None.
    graph_, bandwidth_, entropy_
        The similarity graph, without labels, the width of its similarities, and the entropy of the tree on it.
    history_, n_features_in_, feature_names_in_
        As in `HypCSE`.

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
    classes_: NDArray[Any]
    prototypes_: NDArray[np.float64]
    biases_: NDArray[np.float64]
    _scores: NDArray[np.float64]
    _inputs: NDArray[np.float32]
    _similarities: Similarities | None
    _stored = SHARED | ENCODED | CLASSIFIED

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
        embed_dim: int = 16,
        training: TrainingOptions | None = None,
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
        self.embed_dim = embed_dim
        self.training = training

    def fit(self, X: Any, y: ArrayLike, graph: Any = None) -> HypCSEClassifier:
        """Learn from points, some of them labeled.

        Parameters
        ----------
        X
            Features, or a graph, as for `HypCSE.fit`.
        y
            One label per point; unlabeled is -1 among integers, and None or NaN among floats, strings and objects.
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
        check_number("validation_fraction", self.validation_fraction, 0.0, 1.0, below=True)
        check_number("label_weight", self.label_weight, 1e-30, 1e30)
        check_number("guess_weight", self.guess_weight, 0.0, 1e30)
        graph_options = GraphOptions.of(self)
        points = take_points(self, X, graph, self.metric, 2, seed)
        classes, codes = known_classes(y, points.n_points)
        options = self._options()
        config = TrainingConfig(**options)
        with worker_threads(self.n_jobs, points.n_points), show_fit(self) as callback:
            check_fit_memory(points.n_points, self.n_neighbors, options, "fit on a sample")
            warm_up()
            ready = prepare(points, graph_options)
            inputs, similarities = self._encoder_inputs(ready, seed)
            weights = float(self.label_weight), self.guess_weight
            supervision = supervise(codes, ready, seed, self.validation_fraction, *weights)
            setup = Setup(inputs, ready.graph, config, seed, choose_device(self.device))
            trained = LabeledRun(setup, supervision).train(callback)
            respected = respect_labels(ready.graph, codes, random_state=seed)
            start = decode_graph(trained["embedding_"], respected)
            tree = ready.search(seed, callback, graph=respected, starts=[start])
            best = np.where(codes >= 0, codes, trained["_scores"].argmax(axis=1))
            nested = levels_and_main(tree, respected)
            self._keep(
                classes_=classes,
                transduction_=classes[best],
                tree_=tree.with_names(points.names),
                levels_=Levels([by_size(labels) for labels in nested], nested.main),
                entropy_=float(structural_entropy(tree, ready.graph)),
                _inputs=inputs,
                _similarities=similarities,
                _config=config,
                **ready.attributes(seed),
                **trained,
            )

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row. A row equal to a training point gets the class found in training.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m,)
            One of `classes_` per row.
        """
        scores = self._class_scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """For each row, a probability for each of the `classes_`, with sum 1.

        This is the softmax of the scores; it ranks classes but is not calibrated.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m, n_classes)
            The probabilities.
        """
        return softmax(self._class_scores(X), axis=1)

    def _class_scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scores 2 + 2 <z, p_c> + b_c of rows, (m, n_classes); copies of a training point get that point's scores."""
        check_is_fitted(self)

        def score(points: NDArray[np.float64]) -> NDArray[np.float64]:
            arrays = points, self.prototypes_, self.biases_
            return class_scores(*map(torch.from_numpy, arrays)).numpy()

        return self._extended(X, self._scores, self._inputs, score)

    def _fed(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The encoder's input: the scaled features, or the components of their similarities."""
        return features if self._similarities is None else self._similarities.apply(features)

    def _options(self) -> dict[str, Any]:
        training = self._training()
        unused = [name for name in ("decoder", "select_on", "checkpoint_dir") if getattr(training, name)]
        if unused:
            raise ValueError(f"HypCSEClassifier has no use for {unused[0]}. Omit it from the TrainingOptions.")
        return fill_options(CLASSIFIER, {**self.get_params(deep=False), **training.get_params()})

    def _encoder_inputs(self, ready: Prepared, seed: int) -> tuple[NDArray[np.float32], Similarities | None]:
        """The encoder's input, and how it is made from features."""
        if self.features == "table":
            return encoder_inputs(ready, seed), None
        if ready.scaled is None:
            raise ValueError("features='similarities' needs features to compare. Pass a table, or features='table'.")
        similarities = Similarities.learn(ready.scaled)
        return similarities.apply(ready.scaled), similarities

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
