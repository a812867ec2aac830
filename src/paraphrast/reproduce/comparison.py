"""Set the paper's figures beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.reproduce.recipe import Figure, Recipe
from paraphrast.reproduce.running import Value


@dataclass(frozen=True)
class Outcome:
    """One figure: the paper's, ours, and whether ours is where it should be."""

    figure: Figure
    ours: Value
    holds: bool
    demand: str

    @property
    def difference(self) -> float | None:
        """Return ours minus the paper's."""
        paper = self.figure.paper
        return None if paper is None else self.ours.value - paper


def compare(recipe: Recipe, values: Mapping[str, Value]) -> list[Outcome]:
    """Compare every promised figure; one that was not computed is an error.

    Unless it is optional.
    """
    outcomes = []
    for figure in recipe.definition.figure:
        if figure.name not in values and figure.optional:
            continue
        if figure.name not in values:
            raise ParaphrastError(
                f"recipe {recipe.name!r} promises {figure.name!r} but its run.py "
                "did not compute it. Mend the recipe."
            )
        outcomes.append(_outcome(figure, values))
    return outcomes


def _outcome(figure: Figure, values: Mapping[str, Value]) -> Outcome:
    ours = values[figure.name]
    demands, holds = [], True
    if figure.paper is not None and figure.tolerance is not None:
        demands.append(f"±{figure.tolerance:g}")
        # Rounding noise in the last binary digit must not decide.
        holds &= abs(ours.value - figure.paper) <= figure.tolerance + 1e-9
    if figure.at_least is not None:
        demands.append(f"≥ {figure.at_least:g}")
        holds &= ours.value >= figure.at_least - 1e-9
    if figure.below:
        demands.append(f"< {figure.below}")
        holds &= ours.value < values[figure.below].value
    if figure.explained:
        demands.append("explained")
        holds = True
    return Outcome(figure, ours, holds, ", ".join(demands))
