"""The writers' texts: those to learn from, and those only to measure with.

Every writer's sentences are split at random: the first are for `paraphrast learn`,
the last are rewritten and teach the classifier. ``joyce`` is text that the pack was not
trained on, though it knows the writer. ``book`` is "The Rust Programming Language"
(Klabnik and Nichols), of which neither pack, guide nor judge has read a line: the
authors left out. ``keeper`` is ours: one text is learned from, another, written later
in the same voice, measures.
"""

import html
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paraphrast.neural.learn import texts
from paraphrast.reproduce import Workspace
from paraphrast.text.normalisation import straighten
from paraphrast.text.sentences import split_sentences
from training.rewriter import style_texts

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
TESTED, UNREAD, MOST = 160, 600, 2000
OTHERS_TESTED, OTHERS_UNREAD = 120, 600
BOOK = "rust-book"  # share/doc/rust/html/book of the component rust-docs
_CODE = re.compile(r"<pre.*?</pre>|<h\d.*?</h\d>|<table.*?</table>", re.DOTALL)
_TEXT = re.compile(r"<(p|li)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class Writer:
    """A writer's sentences: to learn from, to rewrite, and to teach the classifier."""

    name: str
    learned: Sequence[str]
    tested: Sequence[str]
    unread: Sequence[str]

    def file(self, number: int, workspace: Workspace) -> Path:
        """Write the first sentences to a file for `paraphrast learn`, and return it."""
        path = workspace.folder / "texts" / f"{self.name}-{number}.txt"
        path.parent.mkdir(exist_ok=True)
        lines = "".join(f"{text}\n\n" for text in self.learned[:number])
        path.write_text(lines, encoding="utf-8")
        return path


@dataclass(frozen=True)
class Others:
    """Other people's sentences, which nothing of ours has read."""

    tested: Sequence[str]
    unread: Sequence[str]


@cache
def joyce(mirror: Path) -> Writer:
    """Return Joyce without what the pack was trained on."""
    result = style_texts.style_file(mirror, "joyce", style_texts.prose)
    trained = {letters(text) for text in result["guide"]}
    unread = (
        text
        for owner in ("judge", "held out")
        for text in result[owner]
        if style_texts.is_sentence(text) and letters(text) not in trained
    )
    return _split_writer("joyce", list(unread))


@cache
def book(mirror: Path) -> Writer | None:
    """Return the authors left out, if the mirror has their book."""
    pages = sorted((mirror / BOOK).rglob("*.html"))
    result = [
        text
        for page in pages
        if page.stem not in ("print", "toc", "404")
        for text in _sentences(page.read_text("utf-8"))
        if style_texts.is_sentence(text)
    ]
    return _split_writer("book", result) if result else None


@cache
def keeper() -> Writer:
    """Return our own text, and what the same keeper wrote later."""
    learned, later = (
        texts.read(ROOT / "examples" / f"{name}.txt").sentences
        for name in ("keeper", "keeper-later")
    )
    order = list(later)
    random.Random(SEED).shuffle(order)
    tested = len(order) * 2 // 5
    return Writer("keeper", learned, order[:tested], order[tested:])


@cache
def others(mirror: Path) -> Others:
    """Return reviews, sentences of Tatoeba and prose of 1890 to 1910, in turn."""
    sources = [
        style_texts.style_file(mirror, "reviews-imdb", style_texts.each_line)[
            "held out"
        ],
        style_texts.by_hash(style_texts.first_column(mirror, "tatoeba.en-fra"))[
            "held out"
        ],
        style_texts.style_file(mirror, "prose-1890-1910", style_texts.prose)[
            "held out"
        ],
    ]
    most = (OTHERS_TESTED + OTHERS_UNREAD) // len(sources)
    draw = random.Random(SEED)
    kept = []
    for source in sources:
        fit = list(_once([text for text in source if style_texts.is_sentence(text)]))
        kept.append(draw.sample(fit, most))
    mixed = [text for row in zip(*kept, strict=True) for text in row]
    return Others(mixed[:OTHERS_TESTED], mixed[OTHERS_TESTED:])


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _split_writer(name: str, result: Sequence[str]) -> Writer:
    order = list(_once(result))
    random.Random(SEED).shuffle(order)
    order = _filter_sentences(order[: 2 * (MOST + TESTED + UNREAD)])
    tested, unread = order[-TESTED:], order[-TESTED - UNREAD : -TESTED]
    return Writer(
        name, order[: min(MOST, len(order) - TESTED - UNREAD)], tested, unread
    )


def _filter_sentences(sentences: Sequence[str]) -> list[str]:
    """Return the sentences that `paraphrast learn` would read from a file of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n\n".join(sentences), encoding="utf-8")
        return texts.read(path, fewest=1).sentences


def _once(result: Sequence[str]) -> Iterator[str]:
    yield from {letters(text): text for text in result}.values()


def _sentences(page: str) -> Iterator[str]:
    """Yield the sentences of a page that have no code in them."""
    start, end = page.find("<main>"), page.find("</main>")
    for _, inner in _TEXT.findall(_CODE.sub("", page[max(0, start) : end])):
        marked = re.sub(r"<code.*?</code>", "`", inner, flags=re.DOTALL)
        plain = html.unescape(re.sub(r"<[^>]+>", "", marked))
        text = " ".join(straighten(plain, em_dash=" - ").split())
        for span in split_sentences(text):
            sentence = text[span.start : span.end].strip()
            if "`" not in sentence and re.search(r"[.!?][\"')]?$", sentence):
                yield sentence
