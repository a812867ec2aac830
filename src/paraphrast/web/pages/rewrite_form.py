"""The Rewrite page's request, also as a command line and as curl.

A text is rewritten sentence by sentence; a document as a job of ``/v1/jobs``.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats import SUFFIXES, WHOLE
from paraphrast.web.service.files import Asked as AskedOfFile
from paraphrast.web.service.files import name_result

Number = TypeVar("Number", int, float)

MOST_ALTERNATIVES = 5  # keys 1 to 5 choose them
USUAL_STRENGTH = 0.5  # that of a rewriter of which none is asked
LONGEST_QUOTED = 200  # characters of a text that a command shows
TEXTS = (".txt", ".md")  # files that become the text of the page
DOCUMENTS = tuple(end for end, name in SUFFIXES.items() if name in WHOLE)


@dataclass(frozen=True)
class Asked:
    """A text and the options; ``keep`` lists terms, separated by commas.

    ``document`` is the name of a file that is rewritten instead, with its formatting.
    """

    text: str = ""
    style: str = "formal"
    rewriter: str = ""
    strength: float = USUAL_STRENGTH
    alternatives: int = MOST_ALTERNATIVES
    keep: str = ""
    markdown: bool = False
    scores: bool = True
    document: str = ""
    track_changes: bool = False

    def __post_init__(self) -> None:
        """Refuse invalid requests."""
        if not 0 <= self.strength <= 1:
            raise ParaphrastError(f"strength must be 0 to 1, not {self.strength:g}.")
        if not 1 <= self.alternatives <= MOST_ALTERNATIVES:
            raise ParaphrastError(
                f"alternatives must be 1 to {MOST_ALTERNATIVES}, "
                f"not {self.alternatives}."
            )

    @classmethod
    def from_form(
        cls, form: Mapping[str, Any], text: str, *, document: str = ""
    ) -> "Asked":
        """Return the request of a form for a text or a document."""
        return cls(
            text=text,
            style=str(form.get("style", cls.style)),
            rewriter=str(form.get("rewriter", "")),
            strength=read_number(form, "strength", cls.strength),
            alternatives=read_number(form, "alternatives", cls.alternatives),
            keep=str(form.get("keep", "")),
            markdown="markdown" in form,
            scores="scores" in form,
            document=document,
            track_changes=document.lower().endswith(".docx")
            and "track_changes" in form,
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """Return the terms to keep letter for letter."""
        return tuple(filter(None, (term.strip() for term in self.keep.split(","))))

    @property
    def own_strength(self) -> float | None:
        """Return the strength, unless it is the default."""
        return None if self.strength == USUAL_STRENGTH else self.strength

    def of_file(self) -> AskedOfFile:
        """Return the same request as a job for the document."""
        return AskedOfFile(
            self.style,
            rewriter=self.rewriter or None,
            strength=self.own_strength,
            protect=self.terms,
            track_changes=self.track_changes,
        )

    @property
    def result(self) -> str:
        """Return the name of the rewritten document."""
        return name_result(self.document, self.style)

    def as_command(self) -> str:
        """Return the command line that gives the same rewrites."""
        words = ["paraphrast", "rewrite", "--to", self.style]
        if self.rewriter:
            words += ["--using", self.rewriter]
        if self.own_strength is not None:
            words += ["--strength", f"{self.strength:g}"]
        for term in self.terms:
            words += ["--protect", term]
        if self.document:
            words += ["--track-changes"] if self.track_changes else []
            return shlex.join([*words, self.document, "-o", self.result])
        if self.alternatives > 1:
            words += ["--alternatives", str(self.alternatives)]
        if len(self.text) > LONGEST_QUOTED:
            words.append("text.md" if self.markdown else "text.txt")
        else:
            words += ["--format", "md"] if self.markdown else []
            words.append(self.text)
        return shlex.join(words)

    def as_body(self) -> dict[str, Any]:
        """Return the body of the same request to ``/v1/rewrite``."""
        body: dict[str, Any] = {"text": self.text, "style": self.style}
        if self.rewriter:
            body["rewriter"] = self.rewriter
        if self.own_strength is not None:
            body["strength"] = self.strength
        if self.terms:
            body["protect"] = list(self.terms)
        if self.alternatives > 1:
            body["alternatives"] = self.alternatives - 1  # beside the best
        if self.markdown:
            body["format"] = "markdown"
        if self.scores:
            body["scores"] = True
        return body

    def as_curl(self, address: str) -> str:
        """Return a curl command with the same request to the server at ``address``."""
        if self.document:
            return shlex.join(["curl", f"{address}/v1/jobs", *self._as_fields()])
        long = len(self.text) > LONGEST_QUOTED
        body = self.as_body() | ({"text": "…"} if long else {})
        sent = json.dumps(body, ensure_ascii=False)
        return f"curl {shlex.quote(f'{address}/v1/rewrite')} --json {shlex.quote(sent)}"

    def _as_fields(self) -> Iterator[str]:
        """Yield the options of curl that send the document."""
        for name, value in {
            "file": f"@{self.document}",
            "style": self.style,
            "rewriter": self.rewriter,
            "strength": "" if self.own_strength is None else f"{self.strength:g}",
            "track_changes": "true" if self.track_changes else "",
        }.items():
            if value:
                yield from ("-F", f"{name}={value}")
        for term in self.terms:
            yield from ("-F", f"protect={term}")


def is_document(name: str) -> bool:
    """Say by its name whether a file is a document format."""
    return PurePath(name).suffix.lower() in DOCUMENTS


def read_number(form: Mapping[str, Any], name: str, usual: Number) -> Number:
    """Return the number in a field, or the default if it is empty."""
    text = form.get(name) or usual
    try:
        return type(usual)(text)
    except (TypeError, ValueError):
        kind = "whole number" if isinstance(usual, int) else "number"
        raise ParaphrastError(f"{name} must be a {kind}, not {text!r}.") from None
