"""Compare the paper's figures with ours."""

from collections.abc import Mapping
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.reproduce.recipe import Figure, Recipe
from paraphrast.reproduce.running import Value


@dataclass(frozen=True)
class Outcome:
    """One figure: the paper's, ours, and whether ours is within its bounds."""

    figure: Figure
    ours: Value
    holds: bool
    bounds: str

    @property
    def difference(self) -> float | None:
        """Return ours minus the paper's."""
        paper = self.figure.paper
        return None if paper is None else self.ours.value - paper

    @property
    def as_pinned(self) -> bool:
        """Say whether it holds, or is missed as the recipe says."""
        return self.holds != bool(self.figure.missed)


def compare(recipe: Recipe, values: Mapping[str, Value]) -> list[Outcome]:
    """Compare every figure of the recipe; one that was not computed is an error.

    Unless it is optional.
    """
    outcomes = []
    for figure in recipe.definition.figure:
        if figure.name not in values and figure.optional:
            continue
        if figure.name not in values:
            raise ParaphrastError(
                f"recipe {recipe.name!r} promises {figure.name!r} but its run.py "
                "did not compute it. Fix the recipe."
            )
        outcomes.append(_compare_figure(figure, values))
    return outcomes


def summarise(outcomes: list[Outcome]) -> str:
    """Say how many checks pass; figures without bounds are not checks."""
    checks = [outcome for outcome in outcomes if outcome.bounds]
    passed = sum(outcome.holds for outcome in checks)
    return f"{passed} of {len(checks)} checks pass"


def _compare_figure(figure: Figure, values: Mapping[str, Value]) -> Outcome:
    ours = values[figure.name]
    bounds, holds = [], True
    if figure.paper is not None and figure.tolerance is not None:
        bounds.append(f"±{figure.tolerance:g}")
        # Rounding noise in the last binary digit must not decide.
        holds &= abs(ours.value - figure.paper) <= figure.tolerance + 1e-9
    if figure.at_least is not None:
        bounds.append(f"≥ {figure.at_least:g}")
        holds &= ours.value >= figure.at_least - 1e-9
    if figure.below:
        bounds.append(f"< {figure.below}")
        holds &= ours.value < values[figure.below].value
    return Outcome(figure, ours, holds, ", ".join(bounds))
