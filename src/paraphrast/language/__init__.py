"""Facts about an English sentence: names, numbers, negation, persons. No verdicts."""
