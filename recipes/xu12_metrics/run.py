"""BLEU and PINC of the systems that XU12 published, from their published outputs.

BLEU as the paper's multi-bleu computed it: one reference (the original line), text
already tokenised and lower-cased, no smoothing. PINC by the paper's convention,
which divides by four even where a sentence is shorter than four words.
"""

from paraphrast.corpora import read_columns
from paraphrast.metrics import Segment, score
from paraphrast.metrics.base import Metric
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.pinc import Pinc
from paraphrast.reproduce import Value, Workspace

SYSTEMS = {
    "16and7plays_36LM": "16and7plays_36LM",
    "16and7plays_36LM_mert": "16and7plays_36LM_mert",
    "16and7plays_16LM": "16and7plays_16LM",
    "16and7plays_16LM_mert": "16and7plays_16LM_mert",
    "16plays_36LM": "16plays_36LM",
    "16plays_36LM_mert": "16plays_36LM_mert",
    "video_corpus_baseline": "video_corpus_baseline",
    "no-change": "ascii.romeojuliet_tokenized_lower_modern",
    "dictionary": "phrase2",
}
SIDES = {"sparknotes": 1, "enotes": 2}
METRICS: dict[str, Metric] = {
    "bleu": Bleu(tokenize="none", smoothing="none"),
    "pinc": Pinc(convention="xu12"),
}


def side(workspace: Workspace, name: str) -> dict[str, Value]:
    folder = workspace.corpus("xu12") / "eval"
    original = folder / "ascii.romeojuliet_tokenized_lower_original"
    modern = folder / f"ascii.romeojuliet_tokenized_lower_modern.{SIDES[name]}"
    values = {}
    for system, file in SYSTEMS.items():
        lines = read_columns([folder / f"{file}.{SIDES[name]}", modern, original])
        segments = [Segment(o, source, (reference,)) for o, source, reference in lines]
        for metric_name, metric in METRICS.items():
            result = score(metric, segments)
            values[f"{metric_name} {system} {name}"] = Value(
                result.value, result.low, result.high, result.signature
            )
    return values


STEPS = {
    "sparknotes": lambda workspace: side(workspace, "sparknotes"),
    "enotes": lambda workspace: side(workspace, "enotes"),
}
