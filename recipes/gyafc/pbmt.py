"""PBMT with the paper's steps, one pack per direction and training set.

The pack is written into the folder of packs under the name that `systems` looks for,
and taken from there if it already exists. Unlabelled text is in the source's style
(comments and chat, or therapists' answers); the language model's lines are selected
from general text.
"""

from collections.abc import Iterator

from paraphrast.corpora.formality import STYLES
from paraphrast.corpora.formality.sources import PAIRED, Style
from paraphrast.corpora.loaders import formality, paraphrases
from paraphrast.estimators import language_model
from paraphrast.metrics.bleu import Bleu
from paraphrast.phrase import self_training, training
from paraphrast.phrase.decoder import FAST
from paraphrast.phrase.model import Tuning
from paraphrast.reproduce import Value, Workspace
from paraphrast.storage.packs import KIND, Data
from paraphrast.storage.resumable import fingerprint

from .benchmark import list_training, read_material
from .systems import PBMT, name_pack

UNLABELLED = 4_000  # lines for self-training
GENERAL = 40_000  # lines from which the language model's are selected
TUNING = 150  # pairs
SOURCES = {
    "formal": ("goemotions", "topical-chat"),
    "informal": ("counselchat-family-answers",),
}
GENERAL_TEXT = {"formal": ("counselchat-family-answers",),
                "informal": ("goemotions", "topical-chat")}  # fmt: skip
NGRAMS = language_model.Settings(order=5)


def train_packs(workspace: Workspace) -> dict[str, Value]:
    """Train the packs that do not exist yet; return their numbers of training pairs."""
    values = {}
    for name in list_training(workspace):
        for to in STYLES:
            folder = workspace.packs / name_pack(PBMT, to, name)
            pairs = read_material(workspace, name, to).pairs
            if not (folder / KIND.manifest).exists():
                train_pack(workspace, name, to)
            values[f"PBMT {name} to {to}: pairs"] = Value(len(pairs))
    return values


def train_pack(workspace: Workspace, name: str, to: Style) -> None:
    """Train and tune one pack, and write it."""
    material = read_material(workspace, name, to)
    licences = ["the user's own GYAFC: research use, not to be passed on"]
    if workspace.data is None:
        licences = [f"{s.name}: {s.licence}" for s in PAIRED if not s.research]
    self_training.train(
        training.Texts(
            material.pairs,
            data=[Data(f"formality, {name}", fingerprint(material.pairs))],
            licences=licences,
        ),
        self_training.Unlabelled(
            list(_read_texts(workspace, SOURCES[to], UNLABELLED)),
            list(_read_general(workspace, to)),
            most_general=GENERAL // 2,
        ),
        workspace.packs / name_pack(PBMT, to, name),
        style=to,
        settings=training.Settings(
            rules=to, search=FAST, most_options=20, ngrams=NGRAMS, contrast=True
        ),
        tuning=Tuning(
            material.tuning[:: max(1, len(material.tuning) // TUNING)],
            Bleu(tokenize="none", smoothing="none"),
            method="mira",
        ),
        replacing=True,
    )


def _read_general(workspace: Workspace, to: Style) -> Iterator[str]:
    yield from _read_texts(workspace, GENERAL_TEXT[to], GENERAL // 2)
    if to == "formal" and "europarl" in workspace.corpora:
        pairs = paraphrases.pairs_of(workspace.corpus("europarl"), "europarl", "en-de")
        lines = [pair.source for pair in pairs]
        yield from lines[:: max(1, len(lines) // (GENERAL // 2))]


def _read_texts(
    workspace: Workspace, names: tuple[str, ...], most: int
) -> Iterator[str]:
    """Yield lines of unlabelled text, drawn evenly; none if the corpus is missing."""
    if "formality" not in workspace.corpora:
        return
    for name in names:
        folder = workspace.corpus("formality")
        lines = list(formality.texts_of(folder, "formality", name))
        yield from lines[:: max(1, len(lines) * len(names) // most)]
