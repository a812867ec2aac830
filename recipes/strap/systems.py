"""Every system's outputs: of packs that are run here, and those made elsewhere.

Outputs are cached on disk under the hash of the pack, of its settings and of the code
that rewrites, so that an interrupted run can resume. Packs that not every machine has
lie in the folder of packs under these names. The first is required; where one of the
others is missing, its rows are left out:

strap-shipped        the pack of version 0.1, or another that takes its place
strap-unsupervised   the student that saw no parallel text
strap-inverse        STRAP's two steps with small models: `neutral`, then a style
strap-paraphraser    what Table 16 looks at, in place of the shipped pack's `plain`
strap-outputs/*.tsv  style, input and output of models that are not packs (outputs/ of
                     the training), each with a .json: what made it, which evaluators
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import paraphrast
from paraphrast.corpora import catalogue, read_lines
from paraphrast.corpora.loaders import plays
from paraphrast.errors import ParaphrastError
from paraphrast.metrics import Segment
from paraphrast.metrics.bleu import Bleu
from paraphrast.neural.models.generation import NEUTRAL, Decoding, Request
from paraphrast.neural.models.pack import load_pack
from paraphrast.neural.rewriter import NeuralRewriter
from paraphrast.phrase import model, training
from paraphrast.phrase.surface import lowercase, tokens_of
from paraphrast.reproduce import Workspace
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.storage import atomic, packs
from paraphrast.storage.packs import Data, Pack
from recipes.xu12.run import BEST, BEST_MODERN

from .texts import detokenise, play_lines, test, tokenise_marks

SHIPPED, UNSUPERVISED, INVERSE = "strap-shipped", "strap-unsupervised", "strap-inverse"
PARAPHRASER = "strap-paraphraser"
OUTPUTS = "strap-outputs"
SEED = 1
# The styles that packs since version 0.1 write in place of these.
HEIRS = {"modern": "plain", NEUTRAL: "plain"}


@dataclass(frozen=True)
class Answer:
    """A rewrite; ``why`` says why the text came back unchanged."""

    text: str
    why: str = ""


@dataclass(frozen=True)
class Elsewhere:
    """Outputs that were made elsewhere; ``about`` describes the system."""

    outputs: list[str]
    about: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A pack and how it is run; by default as `paraphrast rewrite` does.

    ``through``: by the pack's own steps, or straight from the source to the style.
    """

    pack: Path
    decoding: Decoding | None = None
    through: bool = True

    def rewriter(self, wanted: str) -> DocumentRewriter:
        """Open the pack for a style."""
        style = find_style(packs.read(self.pack), wanted)
        if self.decoding is None and self.through:
            return offers.load_pack(str(self.pack), to=style)
        opened = load_pack(self.pack, style, threads=os.cpu_count() or 1)
        if self.decoding is not None:
            settings = replace(opened.settings, decoding=self.decoding)
            opened = replace(opened, settings=settings)
        if not self.through:
            opened = replace(opened, steps=opened.steps[-1:])
        return DocumentRewriter(NeuralRewriter(opened), style=style, family="neural")

    def key(self) -> str:
        """Return a key for the pack, how it is run, and the code."""
        files = packs.read(self.pack).about.files
        weights = {n: f.sha256 for n, f in files.items() if n != packs.README}
        asked = asdict(self.decoding) if self.decoding else None
        digest = hashlib.sha256(json.dumps([weights, asked, self.through]).encode())
        digest.update(_code().encode())
        return digest.hexdigest()[:20]


def answers(
    workspace: Workspace, asked: Asked, segments: Sequence[Segment]
) -> list[Answer]:
    """Return a pack's outputs for every source, made by style, in source order."""
    result: list[Answer | None] = [None] * len(segments)
    for style in dict.fromkeys(segment.target for segment in segments):
        places = [n for n, s in enumerate(segments) if s.target == style]
        texts = [detokenise(segments[index].source) for index in places]
        key = f"{style}-{asked.key()}-{_hash(texts)}"

        def make(style: str = style, texts: Sequence[str] = texts) -> list[Answer]:
            rewrites = asked.rewriter(style).rewrite(texts, seed=SEED)
            return [Answer(rewrite.text, rewrite.why) for rewrite in rewrites]

        for index, answer in zip(
            places, _rewrite_cached(workspace, key, make), strict=True
        ):
            result[index] = answer
    return [answer for answer in result if answer is not None]


def outputs(answers: Iterable[Answer]) -> list[str]:
    """Return answers in the form of the published outputs."""
    return [tokenise_marks(answer.text) for answer in answers]


def paraphrases(
    workspace: Workspace, texts: Mapping[str, Sequence[str]]
) -> Elsewhere | None:
    """Return the paraphraser's outputs for texts of styles, whatever they lose."""
    wanted = [(style, text) for style, own in texts.items() for text in own]
    result = made_for(workspace, "paraphrases", wanted)
    pack = paraphraser(workspace)
    if result is not None or pack is None:
        return result

    def make() -> list[Answer]:
        plain = find_style(pack, NEUTRAL)
        opened = load_pack(pack.folder, plain, threads=os.cpu_count() or 1)
        requests = [Request(text, plain) for _, text in wanted]
        answers = opened.steps[-1].engine.candidates(requests, Decoding())
        return [Answer(own[0].text) for own in answers]

    key = f"{NEUTRAL}-{Asked(pack.folder).key()}-{_hash(t for _, t in wanted)}"
    made = [answer.text for answer in _rewrite_cached(workspace, key, make)]
    return Elsewhere(made, {"evaluators": list(pack.about.evaluators)})


def load_shipped(workspace: Workspace) -> Pack:
    """Return the pack of the published figures, which is that of version 0.1.

    Today's default pack does not replace it: the recipe's requirements are on that
    pack.
    """
    pack = optional(workspace, SHIPPED)
    if pack is None:
        raise ParaphrastError(
            f"the figures are of the pack of version 0.1, and "
            f"{workspace.packs / SHIPPED} does not exist. Take it from the history "
            "as docs/strap.md says, or put another pack there; --packs names the "
            "folder around it."
        )
    return pack


def report_missing(workspace: Workspace) -> Iterator[str]:
    """Report which packs and outputs are missing: their rows are left out."""
    names = (UNSUPERVISED, INVERSE, PARAPHRASER, OUTPUTS)
    lacking = [name for name in names if not (workspace.packs / name).is_dir()]
    if lacking:
        yield (
            f"left out, rows of {', '.join(lacking)}: not in {workspace.packs}. "
            "training/README.md says how they are made; they are not published."
        )


def find_style(pack: Pack, style: str) -> str:
    """Return a pack's name for a style."""
    return style if style in pack.about.styles else HEIRS.get(style, style)


def optional(workspace: Workspace, name: str) -> Pack | None:
    """Return a pack, or None if this machine lacks it."""
    folder = workspace.packs / name
    return packs.read(folder) if folder.is_dir() else None


def paraphraser(workspace: Workspace) -> Pack | None:
    """Return the pack that writes neutral English, if one does."""
    own = [optional(workspace, name) for name in (PARAPHRASER, INVERSE)]
    for pack in (own[0], load_shipped(workspace), own[1]):
        if pack is not None and find_style(pack, NEUTRAL) in pack.about.styles:
            return pack
    return None


def elsewhere(workspace: Workspace, name: str) -> Elsewhere | None:
    """Return a model's outputs for STRAP's test, if their file exists."""
    lines = test(workspace.corpus("strap"))
    wanted = [(line.target, detokenise(line.source)) for line in lines]
    return made_for(workspace, name, wanted)


def made_for(
    workspace: Workspace, name: str, wanted: Sequence[tuple[str, str]]
) -> Elsewhere | None:
    """Return outputs for styles and inputs, if their file exists."""
    path = workspace.packs / OUTPUTS / f"{name}.tsv"
    if not path.exists():
        return None
    rows = [line.split("\t") for line in read_lines(path)]
    if [tuple(row[:2]) for row in rows] != wanted or any(len(row) != 3 for row in rows):
        raise ParaphrastError(
            f"{path} does not hold style, input and output of the {len(wanted):,} "
            "sentences of the test in their order. Make it again."
        )
    try:
        about = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ParaphrastError(
            f"{path.with_suffix('.json')} must say what made the outputs ({error})."
        ) from error
    return Elsewhere([row[2] for row in rows], about)


def phrase_pack(workspace: Workspace, style: str) -> Path:
    """Return a phrase pack trained on the plays and tuned on Twelfth Night.

    The packs of the recipe xu12 will not do: their weights were tuned on lines of
    Romeo and Juliet that are part of STRAP's test.
    """
    folder = workspace.folder / "packs" / f"phrase-{style}"
    if (folder / packs.KIND.manifest).exists():
        return folder
    corpus = workspace.corpus("jhamtani17")
    pairs, tuning = (list(play_lines(corpus, part)) for part in ("train", "valid"))
    text: list[str] = []
    if style == "shakespeare":
        tuned = {_tokens(target) for _, target in tuning}
        lines = plays.texts_of(workspace.corpus("xu12"), "xu12", "plays")
        text = [line for line in lines if _tokens(line) not in tuned]
    else:
        pairs = [(target, source) for source, target in pairs]
        tuning = [(target, source) for source, target in tuning]
    entry = catalogue.entry("jhamtani17")
    training.train(
        training.Texts(
            pairs,
            style=text,
            data=[Data("jhamtani17", _hash(["\t".join(p) for p in pairs]))],
            licences=[entry.licence],
        ),
        folder,
        style=style,
        settings=BEST if style == "shakespeare" else BEST_MODERN,
        tuning=model.Tuning(
            [(_tokens(source), _tokens(target)) for source, target in tuning],
            Bleu(tokenize="none", smoothing="none"),
            method="mira",
            tokenised=True,
        ),
        replacing=True,
    )
    return folder


def _tokens(text: str) -> str:
    return " ".join(lowercase(tokens_of(text)))


def _rewrite_cached(
    workspace: Workspace, key: str, make: Callable[[], list[Answer]]
) -> list[Answer]:
    path = workspace.folder / "answers" / f"{key}.json"
    if path.exists():
        return [Answer(*row) for row in json.loads(path.read_text("utf-8"))]
    result = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.writer(path) as file:
        json.dump(
            [[answer.text, answer.why] for answer in result], file, ensure_ascii=False
        )
    return result


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def _code() -> str:
    """Return a hash of the code that rewrites."""
    digest = hashlib.sha256()
    root = Path(paraphrast.__file__).parent
    for part in ("neural", "phrase", "rewriting", "text"):
        for path in sorted((root / part).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
