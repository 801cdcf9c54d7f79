"""Devices by name, and the form of a kernel that runs on a tensor."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest
import torch

from hypcse import HypcseWarning
from hypcse.neural import backend as _backend
from hypcse.neural.backend import choose_device, kernel_form
from hypcse.neural.training.fixed import warn_if_slow


def test_devices_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, chosen in ((False, "cpu"), (True, "cuda")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert choose_device("auto") == chosen
    assert choose_device("meta") == "meta"


@pytest.mark.parametrize("name", ["gpu", "cuda:99", ""])
def test_a_device_that_cannot_be_used(name: str) -> None:
    with pytest.raises(ValueError, match=f"device='{name}' cannot be used: .*Use 'cpu', or 'auto'"):
        choose_device(name)


@pytest.mark.parametrize(
    ("device", "dtype", "single", "form"),
    [
        ("cpu", torch.float32, True, "numba"),
        ("cpu", torch.float64, True, "torch"),
        ("cpu", torch.float64, False, "numba"),
        ("meta", torch.float32, False, "torch"),
        ("meta", torch.float32, True, "torch"),
    ],
)
def test_forms_of_kernels(device: str, dtype: torch.dtype, single: bool, form: str) -> None:
    assert kernel_form(torch.empty(1, device=device, dtype=dtype), single=single) == form


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch):
    """A GPU of a compute capability, with all that Triton needs or without something."""

    def made(capability: tuple[int, int], missing: str = "") -> SimpleNamespace:
        monkeypatch.setattr(_backend, "missing_for_triton", lambda: missing)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
        return SimpleNamespace(device=torch.device("cuda", 0), dtype=torch.float32)

    return made


@pytest.mark.parametrize(
    ("capability", "missing", "text"),
    [
        ((6, 1), "", r"need compute capability 7\.0 \(this GPU has 6\.1\)"),
        ((9, 0), "C compiler", r"need C compiler"),
    ],
)
def test_plain_losses_on_a_gpu_are_told(card, capability: tuple[int, int], missing: str, text: str) -> None:
    tensor = card(capability, missing)
    assert kernel_form(tensor) == "torch"
    with pytest.warns(HypcseWarning, match=text):
        warn_if_slow(tensor.device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_slow(torch.device("cpu"))


def test_a_gpu_with_all_that_triton_needs(card) -> None:
    tensor = card((7, 0))
    assert kernel_form(tensor) == "triton"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_slow(tensor.device)
