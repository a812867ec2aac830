"""What training loops share: optimizers, their rates, and settings as options."""

import argparse
from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

from training.everyday import descent  # noqa: E402
from training.judge import heads, tasks  # noqa: E402

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


def test_the_rate_rises_then_falls_with_progress_to_the_floor():
    moved = [
        follow(*make(), step, done)
        for step, done in ((1, 0.0), (4, 0.0), (9, 0.0), (9, 0.5), (9, 1.0))
    ]
    assert moved == pytest.approx([0.0025, 0.01, 0.01, 0.005, 0.0025], rel=1e-4)


def test_gradients_that_are_not_finite_are_discarded():
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


def test_the_steps_that_fit_a_head_shrink_to_zero():
    weight = torch.tensor([0.0], requires_grad=True)
    heads.minimise(lambda: weight.sum(), [weight], steps=10, rate=0.1, decay=0.0)
    falling = sum(0.1 * (1 - step / 10) for step in range(10))
    assert float(weight.detach()) == pytest.approx(-falling, rel=1e-4)


def test_pairs_in_the_right_order_and_of_the_right_size_cost_nothing():
    labels = torch.tensor([0.0, 0.5, 1.0])
    assert float(tasks.rank_pairs(labels, labels)) == pytest.approx(0, abs=1e-4)
    swapped = torch.tensor([0.5, 0.0, 1.0])
    assert tasks.rank_pairs(swapped, labels) > 1
