"""From a model's candidates to one answer: search, repairs, guards, choice."""
