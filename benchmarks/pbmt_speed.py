"""How many sentences per second does PBMT with the rules before it rewrite on one core?

Run    python -m benchmarks.pbmt_speed PACKS > benchmarks/results/pbmt_speed.json
Backs  the row on PBMT with the rules in docs/benchmarks.md, made from that file.

PACKS is the folder into which `paraphrast reproduce gyafc` wrote its packs. The
sentences are those of everyday's test texts with four references; BLEU stands beside
the speed. Before anything is timed, a batch must give what its sentences give alone.
"""

import statistics
import sys
import time
from pathlib import Path

from benchmarks.report import report
from paraphrast import rules
from paraphrast.corpora import catalogue, formality
from paraphrast.metrics import Segment, score
from paraphrast.metrics.bleu import Bleu
from paraphrast.phrase.model import load_pack
from paraphrast.phrase.rewriter import PhraseRewriter
from paraphrast.phrase.rules_first import RulesFirst
from paraphrast.rewriter import Sentence
from paraphrast.text.sentences import split_sentences

REPEATS, CHECKED = 5, 20


def main() -> None:
    folder = Path(sys.argv[1])
    corpus = formality.assemble(catalogue.locate("everyday"))
    result = {}
    for to in formality.STYLES:
        rows = [r for r in corpus.select(to, "test") if len(r.references) > 1]
        result[to] = measure(folder / f"formality-pbmt-{to}", rows)
    report(
        claim="sentences per second on one core, rules and phrases",
        directions=result,
        slowest=min(own["median"] for own in result.values()),
        setting={"repeats": REPEATS, "threads": 1},
    )


def measure(pack: Path, rows: list[formality.Row]) -> dict[str, float]:
    """Return a pack's speed and BLEU on rows."""
    loaded = load_pack(pack)
    rewriter = RulesFirst(
        rules.family.load(loaded.settings.rules), PhraseRewriter(loaded)
    )
    parts = [
        [row.text[span.start : span.end] for span in split_sentences(row.text)]
        for row in rows
    ]
    sentences = [Sentence(text) for own in parts for text in own]
    batch = rewriter(sentences[:CHECKED], alternatives=1, seed=1)
    alone = [rewriter([s], alternatives=1, seed=1)[0] for s in sentences[:CHECKED]]
    if batch != alone:
        sys.exit("a batch gives other rewrites than its sentences: nothing to time")
    rates = []
    for _ in range(REPEATS):
        begin = time.process_time()
        rewrites = rewriter(sentences, alternatives=1, seed=1)
        rates.append(len(sentences) / (time.process_time() - begin))
    texts = iter(rewrite[0].text for rewrite in rewrites)
    segments = [
        Segment(" ".join(next(texts) for _ in own), row.text, row.references)
        for own, row in zip(parts, rows, strict=True)
    ]
    return {
        "median": round(statistics.median(rates)),
        "lowest": round(min(rates)),
        "highest": round(max(rates)),
        "sentences": len(sentences),
        "BLEU": round(score(Bleu(), segments).value, 1),
    }


if __name__ == "__main__":
    main()
