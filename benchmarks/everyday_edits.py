"""What do the styles of everyday change in the words of the plain versions?

Run    python -m benchmarks.everyday_edits > benchmarks/results/everyday_edits.json
       (ten seconds on one core)
Backs  the table of edits in corpora/everyday/README.md.

Every version of the development part is aligned with the plain one (the aligner that
ships, at its operating point *precision*). Of the plain version's words, *kept* are
linked with the same word, *replaced* with others alone, *dropped* with none; *added*
are the version's own words without a link, *moved* the linked ones outside the longest
run of links in the same order. Of the versions, *split* and *joined* have more and
fewer sentences than the plain one, and *mood* ends as a question where that does not,
or the other way round.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.report import report
from paraphrast.align import choosing
from paraphrast.align.base import Link, Words
from paraphrast.corpora.catalogue import locate
from paraphrast.corpora.loaders import everyday
from paraphrast.language.words import find_words
from paraphrast.text.sentences import split_sentences

PLAIN, *STYLES = everyday.STYLES
WORDS = ("kept", "replaced", "dropped", "added", "moved")
VERSIONS = ("split", "joined", "mood")


@dataclass(frozen=True, slots=True)
class Pair:
    """The plain version, another one, and their words in lower case."""

    plain: str
    version: str
    words: tuple[Words, Words]


def main() -> None:
    texts = [t for t in everyday.read_texts(locate("everyday")) if t.split == "dev"]
    aligner = choosing.load(prefer="precision")
    styles = {}
    for style in STYLES:
        pairs = [
            make_pair(text.versions[PLAIN], text.versions[style]) for text in texts
        ]
        links = aligner([pair.words for pair in pairs])
        styles[style] = describe(pairs, links)
    report(
        claim="words kept, replaced, dropped, added and moved, by style",
        styles=styles,
        setting={"texts": len(texts), "part": "everyday, dev", "prefer": "balance"},
    )


def make_pair(plain: str, version: str) -> Pair:
    first, second = (tuple(find_words(text.lower())) for text in (plain, version))
    return Pair(plain, version, (first, second))


def describe(
    pairs: Sequence[Pair], links: Sequence[Sequence[Link]]
) -> dict[str, float]:
    """Return a style's shares in percent: of words, then of versions."""
    counts: Counter[str] = Counter()
    for pair, own in zip(pairs, links, strict=True):
        counts += count_words(pair.words, own)
        counts += count_changes(pair.plain, pair.version)
    plain = sum(len(pair.words[0]) for pair in pairs)
    version = sum(len(pair.words[1]) for pair in pairs)
    totals = {name: plain for name in WORDS} | {"added": version}
    totals |= {"moved": counts["linked"]} | {name: len(pairs) for name in VERSIONS}
    return {
        name: round(100 * counts[name] / totals[name], 1)
        for name in (*WORDS, *VERSIONS)
    }


def count_words(words: tuple[Words, Words], links: Sequence[Link]) -> Counter[str]:
    """Count what became of the words of the plain version, and what is new."""
    plain, version = words
    targets: dict[int, list[int]] = defaultdict(list)
    for link in links:
        targets[link.source].append(link.target)
    counts = Counter(dropped=len(plain) - len(targets), linked=len(targets))
    for at, own in targets.items():
        is_same = any(plain[at] == version[target] for target in own)
        counts["kept" if is_same else "replaced"] += 1
    counts["added"] = len(version) - len({link.target for link in links})
    order = [min(own) for _, own in sorted(targets.items())]
    counts["moved"] = len(order) - find_longest_run(order)
    return counts


def find_longest_run(values: Sequence[int]) -> int:
    """Return the length of the longest subsequence that does not fall."""
    ends: list[int] = []
    for value in values:
        at = bisect_left(ends, value + 1)
        ends[at : at + 1] = [value]
    return len(ends)


def count_changes(plain: str, version: str) -> Counter[str]:
    """Count a change in the number of sentences, and of question or statement."""
    before, after = (
        len(split_sentences(text.replace(" / ", " "))) for text in (plain, version)
    )
    asks = (text.rstrip("\"' ").endswith("?") for text in (plain, version))
    return Counter(
        split=int(after > before),
        joined=int(after < before),
        mood=int(len({*asks}) > 1),
    )


if __name__ == "__main__":
    main()
