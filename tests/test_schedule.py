"""Learning rates by steps and by time."""

import pytest

from paraphrast.estimators.schedule import Schedule


def test_the_rate_warms_up_and_falls_to_zero():
    schedule = Schedule(steps=100, warmup=0.1)
    rates = [schedule.rate(step, 0.0) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[9] == pytest.approx(1.0)
    assert rates[54] == pytest.approx(0.5)
    assert rates[99] == pytest.approx(1 / 100)  # never quite 0


def test_time_counts_when_it_is_further_than_the_steps():
    schedule = Schedule(steps=100, seconds=10.0, warmup=0.0)
    assert schedule.share_done(0, 5.0) == 0.5
    assert schedule.share_done(80, 5.0) == 0.8
    assert schedule.rate(0, 5.0) == pytest.approx(schedule.rate(50, 0.0))


def test_cosine_constant_and_floor():
    assert Schedule(10, warmup=0.0, shape="cosine").rate(9, 0.0) == pytest.approx(0.0)
    assert Schedule(10, warmup=0.0, shape="constant").rate(9, 0.0) == 1.0
    assert Schedule(10, fall_from=0.0, floor=0.02).rate(4, 0.0) == pytest.approx(0.5)
    assert Schedule(10, fall_from=0.0, floor=0.02).rate(9, 0.0) == 0.02
