"""What alternatives are worth, for people who choose among them.

Who rates them arrives as an argument: rewriting knows no judge. A rating is only shown;
it has no part in which rewrites there are, nor in their order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Rating:
    """How far a text has the style, its source's meaning and fluency; 0 to 1 each.

    None is for what the one who rates cannot tell.
    """

    style: float | None
    meaning: float | None
    fluency: float | None

    def __str__(self) -> str:
        """Show the three in percent."""
        values = (
            ("style", self.style),
            ("meaning", self.meaning),
            ("fluency", self.fluency),
        )
        return ", ".join(
            f"{name} {'–' if value is None else f'{100 * value:.0f}'}"
            for name, value in values
        )


# From a source and its rewrites to a rating of each.
Rate: TypeAlias = Callable[[str, Sequence[str]], list[Rating]]
