"""Direct preference optimisation (Rafailov et al., 2023), for teacher and student.

Of two rewrites of a request the better one is to become likelier than the worse,
measured against the model that training starts from. The better one is learnt as an
example as well, so that both do not become unlikely together.
"""

from dataclasses import dataclass
from typing import Any

from torch.nn import functional


@dataclass(frozen=True)
class Preference:
    """The settings for learning preferences."""

    strength: float = 0.1  # beta: how far the probabilities may move
    example: float = 0.5  # weight of the better one's own loss
    own: int = 3  # batches of preferences per batch of everyday's pairs


def compute_loss(
    chances: Any, reference: Any, tokens: int, preference: Preference
) -> tuple[Any, Any]:
    """Return the loss of a batch, and how often the better rewrite gains more.

    ``chances`` are the log-probabilities of the rewrites and ``reference`` those that
    the model began with: (2, pairs), the better ones first; these have so many tokens.
    """
    gained = chances - reference
    margin = gained[0] - gained[1]
    loss = -functional.logsigmoid(preference.strength * margin).mean()
    loss = loss - preference.example * chances[0].sum() / tokens
    return loss, (margin > 0).float().mean()
