"""Subtitles, SubRip (srt) and WebVTT (vtt): the same cues at the same times.

A sentence that goes over cues is read as one. Line breaks and cues are separators of
its words: after it is rewritten they stand where the fewest words are on another side
of them than before. Notes, styles and whatever is no cue stay.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paraphrast.rewriting.formats.html import Page, decode
from paraphrast.rewriting.formats.marked import Element, Marked, Stretch
from paraphrast.rewriting.formats.markup import escape
from paraphrast.rewriting.formats.segments import Document
from paraphrast.text.documents import ends_sentence

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"^[ \t]*{_TIME}[ \t]+-->[ \t]+{_TIME}[^\n]*\n", re.MULTILINE)
_BLANK = re.compile(r"\r?\n[ \t]*(?:\r?\n|\Z)")
_MARK = re.compile(
    r"""  (?P<break>[ \t]*\r?\n[ \t]*)
        | <(?P<close>/?)(?P<name>[A-Za-z]+)[^<>\n]*>
        | (?P<anchor><[^<>\n]*> | \{\\[^{}\n]*\})
        | (?P<sound>\[[^\[\]]*\] | \([^()a-z]*\) | ♪[^♪]*♪?)
        | &(?P<reference>amp|lt|gt|nbsp);
    """,
    re.VERBOSE,
)
_REFERENCES = {"amp": "&", "lt": "<", "gt": ">", "nbsp": "\xa0"}
_SPEAKER = re.compile(r"\s*(?:<[^v>][^>]*>)*\s*(?:[-–—]|>>|<v[ .]|[A-Z][A-Z .]+:)")
_NAME = re.compile(r"[ \t]*[A-Z][A-Z .]+:")
_BLANKS = re.compile(r"[ \t]*")
_VOICE = re.compile(r"\s*(<v[ .][^<>]*>)?")
LONGEST_PAUSE = 2.0  # seconds between two cues of one sentence


@dataclass(frozen=True, slots=True)
class _Cue:
    """The text of a cue in ``source[start:end]``, and its times in seconds."""

    start: int
    end: int
    begins: float
    ends: float


@dataclass(frozen=True)
class Subtitles:
    """The format; with ``references``, ``&amp;`` stands for ``&``."""

    references: bool

    def read(self, data: bytes, name: str) -> Document:
        """Read subtitles in UTF-8."""
        source, encoding = decode(data, name)
        return Page(source, encoding, list(self._find_stretches(source)))

    def _find_stretches(self, source: str) -> Iterator[Marked]:
        last: _Cue | None = None
        stretch = Stretch(source)
        for cue in _find_cues(source):
            if last is None or not _goes_on(source, last, cue):
                yield from self._finish(stretch)
                stretch = Stretch(source)
            else:
                stretch.stack = ()  # a cue closes what it opens
                stretch.add(" ", last.end, cue.start, separator=True)
            for new_speaker in self._read_cue(stretch, cue):
                yield from self._finish(stretch)
                stretch = new_speaker
            last = cue
        yield from self._finish(stretch)

    def _finish(self, stretch: Stretch) -> Iterator[Marked]:
        spelling = escape if self.references else str
        if marked := stretch.finish(spelling):
            yield marked

    def _read_cue(self, stretch: Stretch, cue: _Cue) -> Iterator[Stretch]:
        """Read a cue; yield a new stretch where another person speaks."""
        source, position = stretch.source, _read_name(stretch, cue.start, cue.end)
        while match := _MARK.search(source, position, cue.end):
            _add_characters(stretch, position, match.start())
            position = match.end()
            if match["sound"] and not stretch.has_letters:
                # A sentence begins after it.
                position = next(_BLANKS.finditer(source, position, cue.end)).end()
                stretch.add("", match.start(), position)
            elif not match["break"]:
                self._read_mark(stretch, match)
            elif _SPEAKER.match(source, position, cue.end):
                stretch = Stretch(source)
                position = _read_name(stretch, position, cue.end)
                yield stretch
            else:
                stretch.add(" ", *match.span(), separator=True, optional=True)
        _add_characters(stretch, position, cue.end)

    def _read_mark(self, stretch: Stretch, match: re.Match[str]) -> None:
        start, end = match.span()
        if name := match["name"]:
            if match["close"]:
                stretch.close(match[0], start, end)
            else:  # a voice goes on to the end of its cue
                closing = "" if name == "v" else f"</{name}>"
                stretch.open(Element(match[0], closing), start, end)
        elif match["sound"]:
            _add_characters(stretch, start, end, kept=True)
        elif match["reference"] and self.references:
            stretch.add(_REFERENCES[match["reference"]], start, end)
        elif match["reference"]:
            _add_characters(stretch, start, end)
        else:
            stretch.add("", start, end)


def _read_name(stretch: Stretch, start: int, end: int) -> int:
    """Leave out the name of who speaks, if one is here; return where to go on."""
    name = _NAME.match(stretch.source, start, end)
    if name:
        stretch.add("", *name.span())
    return name.end() if name else start


def _find_cues(source: str) -> Iterator[_Cue]:
    matches = list(_TIMES.finditer(source))
    ends = [*(match.start() for match in matches[1:]), len(source)]
    for match, following in zip(matches, ends, strict=False):
        blank = _BLANK.search(source, match.end() - 1, following)
        text = source[match.end() : blank.start() if blank else following].rstrip()
        if text:
            end = match.end() + len(text)
            yield _Cue(match.end(), end, _seconds(match, 1), _seconds(match, 5))


def _seconds(match: re.Match[str], group: int) -> float:
    hours, minutes, seconds, rest = match.groups()[group - 1 : group + 3]
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + float(f"0.{rest}")


def _goes_on(source: str, last: _Cue, cue: _Cue) -> bool:
    """Say whether a sentence may go on from one cue to the next."""
    text = re.sub(r"<[^<>]*>", "", source[last.start : last.end]).rstrip()
    before, after = (next(_VOICE.finditer(source, c.start, c.end)) for c in (last, cue))
    paused = cue.begins - last.ends > LONGEST_PAUSE
    ends = text.endswith(("]", "♪", ")")) or (
        ends_sentence(text) and not text.endswith(("…", "..."))
    )
    speaks = before[1] != after[1] or _SPEAKER.match(source, after.end(), cue.end)
    return bool(text) and not (paused or ends or speaks)


def _add_characters(
    stretch: Stretch, start: int, end: int, *, kept: bool = False
) -> None:
    for index in range(start, end):
        char = stretch.source[index]
        stretch.add(" " if char.isspace() else char, index, index + 1, kept=kept)


srt = Subtitles(references=False)
vtt = Subtitles(references=True)
