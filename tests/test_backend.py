"""Devices by name, and the form of a kernel that runs on a tensor."""

from __future__ import annotations

import pytest
import torch

from hypcse._backend import choose_device, kernel_form


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
