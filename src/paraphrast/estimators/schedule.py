"""How far a training run is, and the learning rate that follows from it."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Schedule:
    """A learning rate that warms up linearly and then falls, by steps or by time.

    The run ends after ``steps``, or after ``seconds`` if that is sooner (0: no limit);
    whichever is further decides the rate, so that a run that time ends has annealed.
    ``warmup`` is a share of the run. The fall begins at ``fall_from`` (at the end of
    the warm-up unless given) and stops at ``floor``.
    """

    steps: int
    seconds: float = 0.0
    warmup: float = 0.06
    shape: Literal["linear", "cosine", "constant"] = "linear"
    fall_from: float | None = None
    floor: float = 0.0

    def share_done(self, step: int, elapsed: float) -> float:
        """Return the share of the run that is done, 1 or more at its end."""
        by_time = elapsed / self.seconds if self.seconds else 0.0
        return max(step / self.steps, by_time)

    def rate(self, step: int, elapsed: float) -> float:
        """Return the factor on the learning rate for the step to come."""
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
