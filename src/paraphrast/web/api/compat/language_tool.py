"""LanguageTool's ``/v2/check``: a style's changes, as suggestions in an editor.

Each change is a match of the rule ``PARAPHRAST_STYLE``, ``PARAPHRAST_FORMAL`` unless
``enabledRules`` names others; with ``level=picky`` there is a match for each whole
sentence too. Offsets count UTF-16 units, as Java and JavaScript do.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from paraphrast import __version__
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change
from paraphrast.rewriting.passages import split_passage
from paraphrast.rewriting.sections import Section
from paraphrast.web.api.access import identify
from paraphrast.web.api.compat.annotated_text import (
    AnnotatedText,
    count_units,
    from_data,
    from_text,
)
from paraphrast.web.api.records import check_texts
from paraphrast.web.api.rewriting import run
from paraphrast.web.api.schemas import Text
from paraphrast.web.service.rewriting import Service

PREFIX, DEFAULT = "PARAPHRAST_", "formal"
CONTEXT = 40  # characters on either side of a match
PICKY, SENTENCES = "picky", 4  # ways to say a whole sentence
LANGUAGES = {
    "en": "English",
    "en-US": "English (US)",
    "en-GB": "English (GB)",
    "en-AU": "English (Australian)",
    "en-CA": "English (Canadian)",
    "en-NZ": "English (New Zealand)",
    "en-ZA": "English (South African)",
}
router = APIRouter(prefix="/v2", tags=["languagetool"])


class CheckForm(BaseModel):
    """The form that clients send; other fields are accepted and ignored."""

    model_config = ConfigDict(extra="ignore")

    text: Text = Field(default="", examples=["gonna be late, soz"])
    data: Text = Field(default="", description="Text with markup, in place of `text`.")
    language: Text = "auto"
    enabled_rules: Text = Field(default="", alias="enabledRules")
    disabled_rules: Text = Field(default="", alias="disabledRules")
    level: Text = ""


@router.get("/healthcheck", response_class=PlainTextResponse)
def healthcheck() -> str:
    """Report that the server is alive."""
    return "OK"


@router.get("/languages")
def languages() -> list[dict[str, str]]:
    """List the variants of English."""
    return [
        {"name": name, "code": code.partition("-")[0], "longCode": code}
        for code, name in LANGUAGES.items()
    ]


@router.post("/check", dependencies=[Depends(identify)])
async def check(asked: Annotated[CheckForm, Form()], request: Request) -> Response:
    """Return the changes that styles suggest for a text."""
    service: Service = request.app.state.service
    try:
        text = from_data(asked.data) if asked.data else from_text(asked.text)
        check_texts(text.plain, service.settings.limits)
        styles = _find_styles(service, asked)
        number = SENTENCES if asked.level == PICKY else 1

        def find() -> list[dict[str, Any]]:
            return [m for s in styles for m in find_matches(service, s, text, number)]

        matches = await run(request, find)
    except ParaphrastError as error:
        return PlainTextResponse(f"Error: {error}", 400)
    return JSONResponse(_describe(asked.language) | {"matches": matches})


def _find_styles(service: Service, asked: CheckForm) -> list[str]:
    """Return the styles whose rules are on."""
    styles = {_rule(style.name): style.name for style in service.styles()}
    enabled = [rule for rule in asked.enabled_rules.split(",") if rule in styles]
    disabled = set(asked.disabled_rules.split(","))
    chosen = enabled or [_rule(DEFAULT)]
    return [styles[rule] for rule in chosen if rule in styles and rule not in disabled]


def _rule(style: str) -> str:
    return PREFIX + style.upper().replace("-", "_")


def find_matches(
    service: Service, style: str, text: AnnotatedText, number: int
) -> Iterator[dict[str, Any]]:
    """Yield a match for each change, and for ``number`` > 1 for each sentence."""
    loaded = service.load(style)
    rule = loaded.rewriter.family
    for whole, options in loaded.rewriter.sections(text.plain, number):
        for section, rewrites in split_passage(whole, options, rule=rule):
            best = rewrites[0]
            if section.sentence is None or best.text == section.text:
                continue
            for change in best.changes:
                start, end, after = widen(section.text, change)
                yield from _match(text, style, section, start, end, [after])
            if number > 1:
                others = [rewrite.text for rewrite in rewrites]
                end = len(section.text)
                yield from _match(text, style, section, 0, end, others)


def widen(sentence: str, change: Change) -> tuple[int, int, str]:
    """Return a change that replaces something: an insertion is extended by a word.

    That is the word before it, or the one after it at the start.
    """
    start, end, after = change.start, change.end, change.after
    if start < end:
        return start, end, after
    before = len(sentence[:start].rstrip())
    first = sentence.rfind(" ", 0, before) + 1
    if first < start:
        return first, end, sentence[first:start] + after
    following = sentence.find(" ", end + 1)
    last = following if following > 0 else len(sentence)
    return start, last, after + sentence[end:last]


def _match(
    text: AnnotatedText,
    style: str,
    section: Section,
    start: int,
    end: int,
    replacements: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield a match for a span of a sentence, unless it contains markup."""
    start, end = section.start + start, section.start + end
    located = text.locate(start, end)
    if located is None:
        return
    offset, length = located
    context = max(0, start - CONTEXT)
    yield {
        "message": f"More {style}: {replacements[0]}",
        "shortMessage": f"Style: {style}",
        "replacements": [{"value": value} for value in replacements],
        "offset": offset,
        "length": length,
        "context": {
            "text": text.plain[context : end + CONTEXT],
            "offset": count_units(text.plain[context:start]),
            "length": length,
        },
        "sentence": section.text,
        "type": {"typeName": "Other"},
        "rule": {
            "id": _rule(style),
            "description": f"Rewrites in the style {style}",
            "issueType": "style",
            "category": {"id": "STYLE", "name": "Style"},
        },
        "ignoreForIncompleteSentence": False,
        "contextForSureMatch": 0,
    }


def _describe(language: str) -> dict[str, Any]:
    code = language if language in LANGUAGES else "en-US"
    named = {"name": LANGUAGES[code], "code": code}
    return {
        "software": {
            "name": "Paraphrast",
            "version": __version__,
            "apiVersion": 1,
            "premium": False,
            "status": "",
        },
        "warnings": {"incompleteResults": False},
        "language": named | {"detectedLanguage": named | {"confidence": 1.0}},
    }
