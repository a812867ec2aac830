"""How well do simple systems and the default pack write everyday's development part?

The plain version of each development text is rewritten into the thirteen other styles:
not at all (COPY), by the rules (formal and informal), by a phrase-based pack that was
trained on the pairs of the training part, untuned, and by the default pack.
*Nearest of fourteen* is how often the output is nearer to the version in the wanted
style than to any other, *content* how near it is to the nearest
(`metrics.nearest_style`); texts of fewer than four words are left out, as they are much
alike in every style. BLEU has one reference.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from paraphrast.corpora.loaders import everyday
from paraphrast.metrics import Segment, score
from paraphrast.metrics.base import Metric
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.nearest_style import LEAST_WORDS, Content, NearestStyle
from paraphrast.phrase import training
from paraphrast.reproduce import Step, Value, Workspace
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.storage.packs import KIND, Data
from paraphrast.storage.resumable import fingerprint

CORPUS = "everyday"
PLAIN, *STYLES = everyday.STYLES
METRICS: Mapping[str, Metric] = {
    "nearest of fourteen": NearestStyle(everyday.STYLES),
    "content": Content(),
}
Load: TypeAlias = Callable[[Workspace, str], DocumentRewriter]


def train_pack(workspace: Workspace, style: str) -> DocumentRewriter:
    """Return a phrase-based rewriter from plain; train it unless it already exists."""
    folder = workspace.folder / "packs" / style
    if not (folder / KIND.manifest).exists():
        texts = _read_texts(workspace.corpus(CORPUS), "train")
        pairs = [(text.versions[PLAIN], text.versions[style]) for text in texts]
        data = [Data(CORPUS, fingerprint(pairs), "CC BY 4.0")]
        material = training.Texts(pairs, data=data, licences=["CC BY 4.0"])
        training.train(material, folder, style=style)
    return offers.load_pack(str(folder))


def load_rules(workspace: Workspace, style: str) -> DocumentRewriter:
    return offers.load(style, using="rules")


def load_small(workspace: Workspace, style: str) -> DocumentRewriter:
    return offers.load(style, using="neural")


def measure(
    system: str, style: str, load: Load | None, workspace: Workspace
) -> dict[str, Value]:
    """Return a system's figures for one style; without a rewriter texts are copied."""
    texts = [
        text
        for text in _read_texts(workspace.corpus(CORPUS), "dev")
        if len(text.versions[PLAIN].split()) >= LEAST_WORDS
    ]
    sources = [text.versions[PLAIN] for text in texts]
    outputs = sources
    if load is not None:
        outputs = [rewrite.text for rewrite in load(workspace, style).rewrite(sources)]
    # The corpus joins the lines of verse with " / ", as each text there is one line.
    shown = [output.replace("\n", " / ") for output in outputs]
    versions = [
        Segment(output, references=_list_versions(text), target=style)
        for output, text in zip(shown, texts, strict=True)
    ]
    references = [
        Segment(output, references=(text.versions[style],))
        for output, text in zip(shown, texts, strict=True)
    ]
    scores = {name: score(metric, versions) for name, metric in METRICS.items()}
    scores["BLEU"] = score(Bleu(), references)
    return {
        f"{system}, {style}: {name}": Value(s.value, s.low, s.high, s.signature)
        for name, s in scores.items()
    }


def _read_texts(folder: Path, split: str) -> list[everyday.Text]:
    return [text for text in everyday.read_texts(folder) if text.split == split]


def _list_versions(text: everyday.Text) -> tuple[str, ...]:
    return tuple(text.versions[style] for style in everyday.STYLES)


SYSTEMS: Mapping[str, tuple[Load | None, Sequence[str]]] = {
    "COPY": (None, STYLES),
    "rules": (load_rules, ("formal", "informal")),
    "phrase": (train_pack, STYLES),
    "small": (load_small, STYLES),
}
STEPS: dict[str, Step] = {
    f"{system} {style}": partial(measure, system, style, load)
    for system, (load, styles) in SYSTEMS.items()
    for style in styles
}
