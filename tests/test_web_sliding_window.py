"""So much in so many seconds, whatever the machine's clock does."""

from hypothesis import given
from hypothesis import strategies as st

from paraphrast.web import sliding_window
from paraphrast.web.sliding_window import SlidingWindow


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@given(st.integers(1, 4), st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 9))))
def test_no_window_exceeds_the_limit_and_nobody_waits_needlessly(most, steps):
    clock = Clock()
    window, kept = SlidingWindow(most, 10, clock=clock), []
    for name, seconds in steps:
        clock.now += seconds
        lately = [at for who, at in kept if who == name and at > clock.now - 10]
        assert window.left(name) == most - len(lately)
        if lately:
            assert window.wait(name) == lately[0] + 10 - clock.now
        assert window.add(name) == (len(lately) < most)
        if len(lately) < most:
            kept.append((name, clock.now))


def test_inactive_names_are_forgotten(monkeypatch):
    monkeypatch.setattr(sliding_window, "MANY_NAMES", 3)
    clock = Clock()
    window = SlidingWindow(1, 10, clock=clock)
    for number in range(20):
        clock.now += 4
        window.add(str(number))
    assert len(window._events) <= 4


def test_setting_the_clock_back_blocks_nobody(monkeypatch):
    window = SlidingWindow(2, 60)
    assert window.add("me")
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert window.wait("me") <= 60
    assert window.add("me")
    assert not window.add("me")
