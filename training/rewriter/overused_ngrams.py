"""N-grams that a student overuses: it adds them more often than its style has them.

A guide that likes "'tis" rewards one in every line. So the n-grams that samples have
and their sources have not are counted, by style, over the last texts; an n-gram in more
than three times the share of real texts that have it, of that style or of all, makes
its sample worth less, in proportion. The worst n-gram of a sample counts.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

ORDERS = (1, 2, 3)
AS_OFTEN = 3.0  # tolerated multiple of the style's share
CHANCE = 2.0  # tolerated number of texts
ENOUGH = 40.0  # minimum number of texts before any penalty
KEPT, LEAST = 0.98, 0.05  # of the counts from batch to batch; the least worth
PRUNED_EVERY, PRUNED_BELOW = 25, 0.5  # batches, texts
_TOKEN = re.compile(r"[#@]\w+|'?\w+(?:'\w+)*|[^\w\s]+")


def grams(text: str) -> set[str]:
    """Return the n-grams of a text with its beginning and end; "#" is any tag."""
    tokens = _TOKEN.findall(text.lower().replace("\u2019", "'"))
    row = ["^", *tokens, "$"]
    result = {
        " ".join(row[at : at + order])
        for order in ORDERS
        for at in range(len(row) - order + 1)
    }
    return result | {"#"} if any(token[0] == "#" for token in tokens) else result


class OverusedNgrams:
    """Counts the n-grams that rewrites add, and rates the rewrites by them."""

    def __init__(self, texts_of: Mapping[str, Sequence[str]]) -> None:
        """Count the n-grams of real text of every style."""
        self._real = {style: _shares(texts) for style, texts in texts_of.items()}
        self._english: Counter[str] = Counter()  # mean share in the styles
        for shares, _ in self._real.values():
            for gram, share in shares.items():
                self._english[gram] += share / len(texts_of)  # type: ignore[assignment]
        self._seen: dict[str, Counter[str]] = {style: Counter() for style in texts_of}
        self._texts: Counter[str] = Counter()
        self._unit = 1.0  # a text's weight, which grows from batch to batch
        self._batches = 0

    def rate(
        self, styles: Sequence[str], grounds: Sequence[str],
        texts: Sequence[Sequence[str]],
    ) -> list[list[float]]:  # fmt: skip
        """Return for the rewrites of each text factors from `LEAST` to 1.

        ``grounds`` is what may be added without penalty: source and reference.
        """
        added = [
            _find_additions(ground, own)
            for ground, own in zip(grounds, texts, strict=True)
        ]
        self._count(styles, added)
        worth: dict[tuple[str, str], float] = {}
        result = []
        for style, own in zip(styles, added, strict=True):
            rated = []
            for new in own:
                rated.append(
                    min((self._worth(style, g, worth) for g in new), default=1.0)
                )
            result.append(rated)
        return result

    def _count(self, styles: Sequence[str], added: Sequence[list[set[str]]]) -> None:
        self._unit /= KEPT
        self._batches += 1
        for style, own in zip(styles, added, strict=True):
            if style in self._real:
                self._texts[style] += self._unit  # type: ignore[assignment]
                seen, each = self._seen[style], self._unit / len(own)
                for new in own:
                    for gram in new:
                        seen[gram] += each  # type: ignore[assignment]
        if self._batches % PRUNED_EVERY == 0:
            least = PRUNED_BELOW * self._unit
            for style, seen in self._seen.items():
                kept = {gram: n for gram, n in seen.items() if n >= least}
                self._seen[style] = Counter(kept)

    def _worth(
        self, style: str, gram: str, computed: dict[tuple[str, str], float]
    ) -> float:
        key = (style, gram)
        if key not in computed:
            computed[key] = self._rate_ngram(style, gram)
        return computed[key]

    def _rate_ngram(self, style: str, gram: str) -> float:
        if style not in self._real:
            return 1.0
        texts = self._texts[style] / self._unit
        often = self._seen[style][gram] / self._unit - CHANCE
        if texts < ENOUGH or often <= 0:
            return 1.0
        shares, least = self._real[style]
        usual = max(shares.get(gram, least), self._english[gram])
        return max(LEAST, min(1.0, AS_OFTEN * usual * texts / often))

    def worst(self, style: str, number: int = 5) -> list[str]:
        """Return the n-grams added most in excess of the style."""
        rated = ((self._rate_ngram(style, g), g) for g in self._seen[style])
        return [gram for value, gram in sorted(rated)[:number] if value < 1]


def _find_additions(ground: str, texts: Sequence[str]) -> list[set[str]]:
    """Return the n-grams of each rewrite that its ground lacks."""
    there = grams(ground)
    grams_of = {text: grams(text) - there for text in dict.fromkeys(texts)}
    return [grams_of[text] for text in texts]


def _shares(texts: Sequence[str]) -> tuple[dict[str, float], float]:
    """Return the share of texts that have an n-gram, and that of an unknown one."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(grams(text))
    number = max(1, len(texts))
    return {gram: n / number for gram, n in counts.items() if n > 1}, 1 / number
