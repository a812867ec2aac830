"""The optimizer that the everyday trainers share, and their settings as options."""

import argparse
from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

from training.everyday import descent  # noqa: E402

pytestmark = pytest.mark.train


@dataclass(frozen=True)
class Settings:
    rate: float = 0.5
    epochs: int = 3


@dataclass(frozen=True)
class More:
    strength: float = 0.1


def follow(own, weight, step, done, gradient=1.0):
    """Return how far one step moves a weight."""
    before = weight.detach().clone()
    weight.grad = torch.tensor([gradient])
    own.follow(step, done)
    return float((before - weight.detach()).abs())


def make(start=0.0):
    weight = torch.tensor([start], requires_grad=True)
    return descent.Descent([weight], 0.01, warmup=4, floor=0.25), weight


def test_the_rate_rises_then_falls_with_what_is_done_down_to_the_floor():
    moved = [
        follow(*make(), step, done)
        for step, done in ((1, 0.0), (4, 0.0), (9, 0.0), (9, 0.5), (9, 1.0))
    ]
    assert moved == pytest.approx([0.0025, 0.01, 0.01, 0.005, 0.0025], rel=1e-4)


def test_gradients_that_are_no_numbers_are_not_followed_and_forgotten():
    own, weight = make(start=1.0)
    assert follow(own, weight, 4, 0.0, gradient=float("nan")) == 0
    assert weight.grad is None
    assert follow(own, weight, 4, 0.0) > 0


def test_settings_are_options_with_their_values_as_defaults():
    parser = argparse.ArgumentParser()
    descent.add_settings(parser, Settings(rate=0.25), More())
    options = parser.parse_args(["--epochs", "5"])
    assert descent.read_settings(options, Settings) == Settings(0.25, 5)
    assert descent.read_settings(options, More) == More()
