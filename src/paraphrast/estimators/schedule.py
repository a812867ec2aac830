"""The progress of a training run, and its learning-rate schedule."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Schedule:
    """A learning rate with linear warm-up and decay, by steps or by time.

    The run ends after ``steps``, or after ``seconds`` if that is sooner (0: no limit);
    whichever has progressed further decides the rate, so that a run ended by time has
    annealed. ``warmup`` is a share of the run. Decay starts at ``fall_from`` (by
    default at the end of the warm-up) and stops at ``floor``.
    """

    steps: int
    seconds: float = 0.0
    warmup: float = 0.06
    shape: Literal["linear", "cosine", "constant"] = "linear"
    fall_from: float | None = None
    floor: float = 0.0

    def share_done(self, step: int, elapsed: float) -> float:
        """Return the completed share of the run, 1 or more at its end."""
        by_time = elapsed / self.seconds if self.seconds else 0.0
        return max(step / self.steps, by_time)

    def rate(self, step: int, elapsed: float) -> float:
        """Return the learning-rate factor for the next step."""
        share = self.share_done(step, elapsed) + 1 / self.steps
        warm = max(1 / self.steps, self.warmup)
        if share <= warm:
            return share / warm
        start = warm if self.fall_from is None else self.fall_from
        fallen = min(1.0, (share - start) / max(1 / self.steps, 1 - start))
        if self.shape == "linear":
            return max(self.floor, 1 - fallen) or 1 / self.steps
        if self.shape == "cosine":
            return 0.5 * (1 + math.cos(math.pi * fallen))
        return 1.0
