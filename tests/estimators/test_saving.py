"""Saved models: all of them comes back, by folder and by pickle, and no damaged folder gives a wrong one."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as read_arrays
from safetensors.numpy import save as write_arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hypcse import HypCSE, Tree, levels, similarity_graph
from hypcse.graph.scaling import Scaling
from hypcse.neural.training.config import HINTS, TrainingOptions
from hypcse.partitions.nested_levels import Levels
from hypcse.storage.archive import ARRAYS, FACTS, ModelFileError, _digest
from hypcse.storage.options import fits, hints_of, nest_options

FITTED = HypCSE._stored
FROM_0_1 = Path(__file__).parent / "model-0.1.0"
"""A model written by version 0.1.0: n_clusters=3, one epoch, on the points of `old_points`."""
ADDED = ("levels_", "structure_", "_stability", "_seed", "_kinds", "_metric", "_outliers")
"""What models of 0.1 do not hold."""


def old_points():
    rng = np.random.default_rng(0)
    return np.round(rng.normal(size=(24, 3)) + 5 * np.repeat(np.eye(3), 8, axis=0), 3)


def points(n=40):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)) + 4 * rng.integers(0, 3, size=(n, 1))


@cache
def fitted(**options):
    settings = {"n_epochs": 3, "evaluate_every": 2, "hidden_dim": 8, "embed_dim": 4, **options}
    return HypCSE(**nest_options(HypCSE, settings)).fit(pd.DataFrame(points(), columns=["a", "b", "é", "d\n"]))


def same(one, other):
    """Equal to the last bit, and of one type."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Levels):
        return (one.main, one.stability, one.structure) == (other.main, other.stability, other.structure) and all(
            map(same, one, other)
        )
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, Tree):
        return np.array_equal(one.parent, other.parent) and one == other and one.names == other.names
    if isinstance(one, HypCSE | Scaling):
        return same(vars(one), vars(other))
    return one == other


@pytest.mark.parametrize(
    "table",
    [
        similarity_graph(np.random.default_rng(0).normal(size=(20, 3))),
        sparse.random_array((30, 600), density=0.05, rng=np.random.default_rng(0), format="csr"),
        np.random.default_rng(0).normal(size=(20, 3)),
    ],
)
def test_models_of_every_input_come_back(tmp_path, table):
    model = HypCSE(n_epochs=1).fit(table)
    model.save(tmp_path / "model")
    loaded = HypCSE.load(tmp_path / "model")
    assert same(model, loaded)
    if model._scaled is not None:
        assert np.array_equal(model.predict(table), loaded.predict(table))
        assert np.array_equal(model.transform(table[:5]), loaded.transform(table[:5]))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_clusters": 3, "refine": False, "aggregation": "attention", "learner": "mlp"},
        {"n_epochs": 0},
        {"n_epochs": 1, "scale": "rank"},
        {"preset": "paper", "n_epochs": 2, "random_state": 7, "bandwidth": "median", "scale": "standard"},
    ],
)
def test_a_loaded_model_is_the_saved_one(tmp_path, options):
    model = fitted(**options)
    model.save(tmp_path / "model")
    loaded = HypCSE.load(tmp_path / "model")
    assert same(model, loaded)
    assert same(model, pickle.loads(pickle.dumps(model)))
    assert {name for name in vars(model) if name.endswith("_") or name.startswith("_")} == {
        *FITTED,
        "linkage_matrix_",
        "children_",
        "distances_",
    }
    assert same(clone(loaded).fit(points()).linkage_matrix_, clone(model).fit(points()).linkage_matrix_)


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
def test_linear_scales_keep_the_form_of_older_models(tmp_path, scale):
    """A kind, one shift and one factor per column."""
    model = fitted(n_epochs=1, scale=scale)
    shift, factor = np.arange(4, dtype=np.float32), np.full(4, 2, np.float32)

    def write_as_before(content, arrays, rng):
        content["fitted"]["_scaler"] = {"kind": scale}
        for name in [name for name in arrays if name.startswith("fitted/_scaler/")]:
            del arrays[name]
        arrays |= {"fitted/_scaler/shift": shift, "fitted/_scaler/factor": factor}

    model.save(tmp_path / "model")
    resealed(write_as_before)(tmp_path / "model", None)
    X = np.float32([[1, 2, 3, 4], [5, 4, 3, 2]])
    expected = {"minmax": X * factor + shift, "standard": (X - shift) / factor, "none": X}[scale]
    assert np.array_equal(HypCSE.load(tmp_path / "model")._scaler.apply(X), expected)


def test_features_without_names(tmp_path):
    model = HypCSE(n_epochs=1).fit(points())
    model.save(tmp_path / "model")
    assert same(HypCSE.load(tmp_path / "model"), model)
    assert not hasattr(model, "feature_names_in_")


def test_values_of_other_types_are_saved_as_plain_ones(tmp_path):
    """NumPy's numbers, True for 1 and a path; a callback is left out."""
    options = {"random_state": np.int64(3), "verbose": False, "learning_rate": np.float32(0.01)}
    training = TrainingOptions(learn_graph=1, checkpoint_dir=tmp_path / "kept")
    model = HypCSE(n_epochs=1, callback=print, training=training, **options)
    model.fit(points())
    model.save(tmp_path / "model")
    found = HypCSE.load(tmp_path / "model").get_params()
    assert all(found[name] == value for name, value in options.items()) and found["training__learn_graph"] is True
    assert found["callback"] is None and found["training__checkpoint_dir"] == str(tmp_path / "kept")


@given(st.lists(st.text(st.characters()), min_size=40, max_size=40))
def test_names_with_any_character_survive(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names") / "model"
    model = pickle.loads(pickle.dumps(fitted()))
    model.tree_ = Tree(model.tree_.parent, model.tree_.height, tuple(names))
    model.save(folder)
    assert HypCSE.load(folder).tree_.names == tuple(names)


def test_the_place(tmp_path):
    with pytest.raises(NotFittedError):
        HypCSE().save(tmp_path / "model")
    model = fitted()
    model.save(str(tmp_path / "model"))
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save(tmp_path / "model")
    other = fitted(n_clusters=2)
    other.save(tmp_path / "model", overwrite=True)
    assert same(HypCSE.load(str(tmp_path / "model")), other)
    (tmp_path / "model" / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="hypcse did not write"):
        model.save(tmp_path / "model", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    with pytest.raises(ModelFileError, match=re.escape(f"{tmp_path} is a folder of `hypcse fit`")):
        HypCSE.load(tmp_path)


def test_odd_places(tmp_path):
    (tmp_path / "file").write_text("mine")
    for place, text in (("file", "file is a file, not a folder"), ("none", "there is no folder")):
        with pytest.raises(ModelFileError, match=text):
            HypCSE.load(tmp_path / place)


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    model = pickle.loads(pickle.dumps(fitted()))
    model.embedding_ = model.embedding_[:-1]
    with pytest.raises(ValueError, match="embedding_ does not fit"):
        model.save(tmp_path / "model")
    model = pickle.loads(pickle.dumps(fitted())).set_params(n_neighbors=[1])
    with pytest.raises(ValueError, match=r"option n_neighbors is \[1\], which has the wrong type"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


# Mutations. Each takes the folder of a copy and a generator of random numbers.


def flip(name):
    def mutate(folder, rng):
        content = bytearray((folder / name).read_bytes())
        content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        (folder / name).write_bytes(content)

    return mutate


def cut_or_grow(folder, rng):
    path = folder / rng.choice([ARRAYS, FACTS])
    content = path.read_bytes()
    longer = content + rng.bytes(int(rng.integers(1, 20)))
    path.write_bytes(longer if rng.random() < 0.4 else content[: rng.integers(len(content))])


def swap_files(folder, rng):
    """Missing, exchanged, empty, a pickle, or one of another model."""
    one, other = rng.permutation([ARRAYS, FACTS])
    action = rng.integers(5)
    if action == 0:
        (folder / one).unlink()
    elif action == 1:
        (folder / one).rename(folder / "aside")
        (folder / other).rename(folder / one)
        (folder / "aside").rename(folder / other)
    elif action == 2:
        (folder / one).write_bytes(b"")
    elif action == 3:
        (folder / one).write_bytes(pickle.dumps(Trap(folder)))
    else:
        fitted(n_clusters=2).save(folder.parent / "other")
        shutil.copy(folder.parent / "other" / one, folder / one)


class Trap:
    """Unpickling leaves a mark."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return (self.folder.parent / "trapped").touch, ()


def resealed(change):
    """A change of the content, with all digests made anew: only the checks of the content itself can see it."""

    def mutate(folder, rng):
        form, arrays = json.loads((folder / FACTS).read_text()), dict(read_arrays((folder / ARRAYS).read_bytes()))
        change(form["content"], arrays, rng)
        packed = write_arrays({name: np.asarray(array, order="C") for name, array in arrays.items()})
        seal(folder, form, packed)

    return mutate


def seal(folder, form, packed):
    form["arrays"] = {"bytes": len(packed), "sha256": hashlib.sha256(packed).hexdigest()}
    form.pop("sha256")
    form["sha256"] = _digest(form)
    (folder / FACTS).write_text(json.dumps(form))
    (folder / ARRAYS).write_bytes(packed)


def objects_in(content):
    yield content
    for value in content.values():
        if isinstance(value, dict):
            yield from objects_in(value)


def rename_or_remove_key(content, arrays, rng):
    places = [place for place in objects_in(content) if place]
    place = places[rng.integers(len(places))]
    key = rng.choice(sorted(place))
    value = place.pop(key)
    if rng.random() < 0.7:
        place[key + rng.choice(["x", "/", "é"])] = value


def change_type(content, arrays, rng):
    options, config = content["parameters"], content["fitted"]["_config"]
    place = rng.choice([*objects_in(content["fitted"]), options, options, config])
    hints = hints_of(HypCSE) if place is options else HINTS if place is config else {}
    key = rng.choice(sorted(place)) if place else "extra"
    old = place.get(key)
    new = [[old], {"a": old}, str(old), 10**400, -1, 0.5, True, None, "1"]
    wrong = [value for value in new if not fits(value, hints[key])] if key in hints else new[:4]
    place[key] = wrong[rng.integers(len(wrong))]


def change_array(content, arrays, rng):
    """Another type, shape, name, or values that no such array has."""
    name = rng.choice(sorted(arrays))
    old = arrays.pop(name)
    action = rng.integers(6)
    if action == 0:
        arrays[name] = old.astype(rng.choice([np.float16, np.int16, np.complex64]))
    elif action == 1:
        arrays[name] = old[None]
    elif action == 2:
        arrays[name + "x"] = old
    elif action == 3:
        arrays[name] = np.concatenate([old, old]) if old.ndim else old.reshape(1)
    elif action == 4:
        arrays[name] = np.full_like(old, np.nan if old.dtype.kind == "f" else -7)


def forge_header(folder, rng):
    """Other digits and letters in the header of the arrays, with digests made anew."""
    form, packed = json.loads((folder / FACTS).read_text()), bytearray((folder / ARRAYS).read_bytes())
    header = int.from_bytes(packed[:8], "little")
    for _ in range(rng.integers(1, 4)):
        digits = [place for place in range(8, 8 + header) if chr(packed[place]).isdigit()]
        packed[rng.choice(digits)] = ord(rng.choice(list("0123456789")))
        packed[rng.integers(8 + header)] = rng.integers(32, 127) if rng.random() < 0.5 else ord(" ")
    seal(folder, form, bytes(packed))


MUTATIONS = [
    flip(ARRAYS),
    flip(FACTS),
    cut_or_grow,
    swap_files,
    resealed(rename_or_remove_key),
    resealed(change_type),
    resealed(change_array),
    forge_header,
]


@pytest.mark.parametrize("kind", range(len(MUTATIONS)))
def test_mutated_folders_give_a_clear_error_or_the_right_model(tmp_path, kind):
    """25 of each of eight kinds, 200 in all."""
    model = fitted()
    model.save(tmp_path / "model")
    refused = []
    for seed in range(25):
        home = tmp_path / str(seed)
        home.mkdir()
        shutil.copytree(tmp_path / "model", home / "model")
        MUTATIONS[kind](home / "model", np.random.default_rng([kind, seed]))
        try:
            assert same(HypCSE.load(home / "model"), model), seed
        except ModelFileError as error:
            refused.append(str(home / "model") in str(error))
        assert not (home / "trapped").exists()
    assert all(refused) and len(refused) >= 20


def test_a_new_seal_alone_changes_nothing(tmp_path):
    """So what is refused above is refused for its content."""
    fitted().save(tmp_path / "model")
    resealed(lambda content, arrays, rng: None)(tmp_path / "model", None)
    assert same(HypCSE.load(tmp_path / "model"), fitted())


@pytest.mark.parametrize("size", [10**9, 10**18, 10**30, 10**400])
def test_absurd_sizes_take_no_memory(tmp_path, size):
    """Networks of a size that no machine holds are refused by their limits."""
    fitted().save(tmp_path / "model")

    def grow(content, arrays, rng):
        content["fitted"]["_config"]["hidden_dim"] = size

    resealed(grow)(tmp_path / "model", None)
    with pytest.raises(ModelFileError, match=r"hidden_dim=10+ must be between 2 and 65536"):
        HypCSE.load(tmp_path / "model")


def test_every_attribute_is_needed(tmp_path):
    for name in FITTED.keys() - set(ADDED):
        fitted().save(tmp_path / name)

        def drop(content, arrays, rng, name=name):
            content["fitted"].pop(name, None)
            for key in [key for key in arrays if f"{key}/".startswith(f"fitted/{name}/")]:
                del arrays[key]

        resealed(drop)(tmp_path / name, None)
        with pytest.raises(ModelFileError, match=f"{name} is missing"):
            HypCSE.load(tmp_path / name)


def test_a_model_of_0_1_loads():
    facts = json.loads((FROM_0_1 / FACTS).read_text())
    assert facts["version"] == "0.1.0" and not set(ADDED) & set(facts["content"]["fitted"])
    model = HypCSE.load(FROM_0_1)
    assert np.array_equal(model.labels_, np.repeat([0, 1, 2], 8))
    assert np.array_equal(model.predict(old_points()), model.labels_)
    assert np.allclose(model.transform(old_points()), model.embedding_)
    assert model.structure_.word == "untested" and len(model.levels_) >= 1
    # Parameters that it does not hold, as those of later versions will be, have their defaults.
    training = TrainingOptions(hidden_dim=4)
    expected = HypCSE(n_clusters=3, n_epochs=1, embed_dim=2, n_neighbors=4, bandwidth=1.0, training=training)
    assert model.get_params() == expected.get_params() and model.bandwidth_ == 1.0


def test_missing_parameters_take_their_defaults(tmp_path):
    fitted().save(tmp_path / "model")

    def drop(content, arrays, rng):
        del content["parameters"]["checkpoint_every"], content["parameters"]["n_jobs"]
        del content["fitted"]["_config"]["dropout"]

    resealed(drop)(tmp_path / "model", None)
    model = HypCSE.load(tmp_path / "model")
    assert model.get_params() == fitted().get_params() and model._config == fitted()._config


def test_unknown_parameters_name_the_version(tmp_path):
    fitted().save(tmp_path / "model")

    def add(content, arrays, rng):
        content["parameters"]["momentum"] = 0.9

    resealed(add)(tmp_path / "model", None)
    with pytest.raises(ModelFileError, match=r"written by hypcse 0\.\S+, .*'momentum'"):
        HypCSE.load(tmp_path / "model")


def test_no_level_at_all_is_refused(tmp_path):
    fitted().save(tmp_path / "model")

    def empty(content, arrays, rng):
        arrays["fitted/levels_/labels"] = np.empty((0, 40), np.int64)

    resealed(empty)(tmp_path / "model", None)
    with pytest.raises(ModelFileError, match="levels_ is not what it should be: it holds no level"):
        HypCSE.load(tmp_path / "model")


def test_models_from_before_levels_were_kept(tmp_path):
    """Levels are found again, and nothing was compared with chance."""
    fitted().save(tmp_path / "model")

    def drop(content, arrays, rng):
        for name in ADDED:
            content["fitted"].pop(name, None)
        for key in [key for key in arrays if key.startswith(("fitted/levels_", "fitted/_stability"))]:
            del arrays[key]

    resealed(drop)(tmp_path / "model", None)
    model = HypCSE.load(tmp_path / "model")
    assert model.structure_.word == "untested"
    assert same(model.levels_, replace(levels(model.tree_, model.graph_), structure=model.structure_))
    assert model.levels_.stability is None
    assert tuple(model.stability_) == model.levels_.stability and len(model.stability_) == len(model.levels_)
