"""What goes in and out of ``/v1``: the same words as in Python and in ``--json``.

Offsets count Unicode code points, as Python does.
"""

from typing import Annotated, Any, Literal

from fastapi import UploadFile
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from paraphrast.align.base import Preference
from paraphrast.rewriting.sections import is_unicode


def _refuse_surrogates(text: str) -> str:
    """Refuse half a surrogate pair, which no answer could carry."""
    if not is_unicode(text):
        raise ValueError("half of a surrogate pair is not text")
    return text


Text = Annotated[str, AfterValidator(_refuse_surrogates)]
Share = Annotated[float, Field(ge=0, le=1)]
Texts = Annotated[
    Text | list[Text],
    Field(description="A text, or several.", examples=["gonna be late, soz"]),
]
StyleName = Annotated[
    Text, Field(description="One of `GET /v1/styles`.", examples=["formal"])
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _with_example(**example: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]})


class Options(_Request):
    """How texts are rewritten."""

    style: StyleName
    rewriter: Text | None = Field(
        default=None,
        description="One of `GET /v1/rewriters`; the best for the style if omitted.",
        examples=["rules"],
    )
    strength: Share | None = Field(
        default=None, description="From a light touch (0) to a free one (1)."
    )
    alternatives: int = Field(
        default=0, ge=0, le=20, description="Most alternatives beside the text itself."
    )
    protect: list[Text] = Field(
        default=[], description="Terms to keep letter for letter.", examples=[["Romeo"]]
    )
    format: Literal["text", "markdown", "html"] = Field(
        default="text",
        description="Of HTML the tags stay; it has no alternatives and no changes.",
    )
    headings: bool = Field(
        default=False, description="Also rewrite headings that are no sentences."
    )
    seed: int = Field(default=1, ge=0, le=2**31 - 1)


class RewriteRequest(Options):
    """Texts to rewrite; ``scores`` and ``alignment`` add what takes longer."""

    model_config = _with_example(
        text=["gonna be late, soz", "Romeo says u r late"],
        style="formal",
        alternatives=2,
        protect=["Romeo"],
    )

    text: Texts
    scores: bool = Field(
        default=False, description="Rate style, meaning and fluency by the small judge."
    )
    alignment: bool = Field(default=False, description="Link the words of each pair.")


class Change(BaseModel):
    """One edit: ``source[start:end]``, which is ``before``, became ``after``."""

    start: int
    end: int
    before: str
    after: str
    rule: str


class Kept(BaseModel):
    """A sentence that stayed as it was, and why."""

    text: str
    why: str


class Scores(BaseModel):
    """What the small judge thinks, 0 to 1; null where it cannot tell."""

    style: float | None
    meaning: float | None
    fluency: float | None


class Alternative(BaseModel):
    """One way to say a text in the style; see `paraphrast.Rewrite`."""

    text: str
    score: float = Field(description="Comparable among the rewrites of one text only.")
    why: str = Field(description="Why the text came back unchanged; else empty.")
    changes: list[Change]
    steps: list[str]
    guards: list[str]
    kept: list[Kept]
    scores: Scores | None = None


Link = tuple[int, int, Literal["sure", "possible"]]


class Tokens(BaseModel):
    """The words that an alignment counts."""

    source: list[str]
    text: list[str]


class Rewritten(Alternative):
    """A source, its best rewrite, and others."""

    source: str
    alternatives: list[Alternative]
    alignment: list[Link] | None = Field(
        default=None,
        description="Words of the source and of the text that say the same.",
        examples=[[[0, 0, "sure"], [1, 2, "possible"]]],
    )
    tokens: Tokens | None = None


class Model(BaseModel):
    """What rewrote: a rewriter, and its pack where it has one."""

    rewriter: str
    pack: str | None
    sha256: str | None


class Usage(BaseModel):
    """How much was asked for."""

    characters: int


class Done(BaseModel):
    """How rewrites were made."""

    model: Model
    signature: str
    usage: Usage


class RewriteResponse(Done):
    """One record per text, in order, always."""

    model_config = _with_example(
        rewrites=[
            {
                "source": "gonna go",
                "text": "Going to go.",
                "why": "",
                "score": 0.71,
                "changes": [
                    {
                        "start": 0,
                        "end": 5,
                        "before": "gonna",
                        "after": "Going to",
                        "rule": "neural",
                    }
                ],
                "alternatives": [],
                "scores": None,
                "alignment": None,
                "tokens": None,
                "steps": [],
                "guards": [],
                "kept": [],
            }
        ],
        model={"rewriter": "neural", "pack": "small", "sha256": "9f86d08188…"},
        signature="rewrite|style:formal|rewriter:neural|seed:1|paraphrast:0.1.0",
        usage={"characters": 8},
    )

    rewrites: list[Rewritten]


class SentenceEvent(Rewritten):
    """A sentence of the text at ``index``, from ``start`` there."""

    index: int
    start: int


class StyleRecord(BaseModel):
    """A style, and the rewriters that write it."""

    name: str
    summary: str
    rewriters: list[str]


class Styles(BaseModel):
    """The styles that there are."""

    styles: list[StyleRecord]


class RewriterRecord(BaseModel):
    """A rewriter, and the styles that it writes."""

    name: str
    summary: str
    styles: list[str]


class Rewriters(BaseModel):
    """The rewriters that are installed."""

    rewriters: list[RewriterRecord]


class ScoreRequest(_Request):
    """Texts to rate beside their sources."""

    model_config = _with_example(
        source="gonna go", text="I am going to go.", style="formal"
    )

    source: Texts
    text: Texts
    style: StyleName | None = None


class ScoreResponse(BaseModel):
    """One rating per text, in order."""

    scores: list[Scores]
    judge: str


class AlignRequest(_Request):
    """Text pairs to align."""

    model_config = _with_example(
        source="He is late.", target="He was not on time.", prefer="recall"
    )

    source: Texts
    target: Texts
    prefer: Preference = Field(
        default="precision",
        description="Fewer possible links, of which more are right, or more.",
    )


class Alignment(BaseModel):
    """The words of a pair and the links between them: source, target, probability."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int, float, Literal["sure", "possible"]]]
    error: str | None = Field(default=None, description="Why there are no links.")


class AlignResponse(BaseModel):
    """One alignment per pair, in order."""

    alignments: list[Alignment]
    aligner: str


class LimitsResponse(BaseModel):
    """How much may be asked for; 0 sets no limit."""

    characters_per_text: int
    texts_per_request: int
    body_bytes: int
    body_seconds: int
    requests_per_minute: int
    queue_length: int
    jobs: int
    job_days: int


class JobForm(_Request):
    """A file to rewrite in the background, and how."""

    file: UploadFile
    style: StyleName
    rewriter: Text | None = None
    strength: Share | None = None
    alternatives: int = Field(default=0, ge=0, le=20)
    protect: list[Text] = []
    headings: bool = False
    seed: int = Field(default=1, ge=0, le=2**31 - 1)
    format: Text | None = Field(
        default=None, description="txt, md, csv, tsv, jsonl; else by the file's name."
    )
    column: Text | None = Field(default=None, description="Of a CSV or TSV file.")
    field: Text | None = Field(default=None, description="Of a JSONL file.")
    into: Text = Field(default="rewrite", description="New column or field.")
    track_changes: bool = Field(
        default=False, description="Of a docx: changes to accept or reject."
    )


class JobRecord(BaseModel):
    """How far a job is; ``done`` and ``total`` count characters of text."""

    id: str
    name: str
    style: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    total: int
    seconds_remaining: float | None
    why: str = Field(description="Why it failed; else empty.")
    left: list[str] = Field(
        description="What stayed as it was, one line per reason, once it is done."
    )


class JobList(BaseModel):
    """The caller's jobs, the newest first."""

    jobs: list[JobRecord]
