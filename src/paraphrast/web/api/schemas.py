"""Requests and responses of ``/v1``, with the names of the Python API and ``--json``.

Offsets count Unicode code points, as Python does.
"""

from typing import Annotated, Any, Literal

from fastapi import UploadFile
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from paraphrast.align.base import Preference
from paraphrast.rewriting.sections import is_unicode


def _refuse_surrogates(text: str) -> str:
    """Refuse an unpaired surrogate, which no response could contain."""
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
    Text, Field(description="A style of `GET /v1/styles`.", examples=["formal"])
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
        description="A rewriter of `GET /v1/rewriters`; by default the best one for "
        "the style.",
        examples=["rules"],
    )
    strength: Share | None = Field(
        default=None,
        description="How far to move from the source, from light (0) to free (1).",
    )
    alternatives: int = Field(
        default=0,
        ge=0,
        le=20,
        description="Maximum number of alternatives besides the best rewrite.",
    )
    protect: list[Text] = Field(
        default=[], description="Terms to keep letter for letter.", examples=[["Romeo"]]
    )
    format: Literal["text", "markdown", "html"] = Field(
        default="text",
        description="In HTML the tags are kept; there are no alternatives and no "
        "changes.",
    )
    headings: bool = Field(
        default=False, description="Also rewrite headings that are not sentences."
    )
    seed: int = Field(default=1, ge=0, le=2**31 - 1)


class RewriteRequest(Options):
    """Texts to rewrite; ``scores`` and ``alignment`` are optional, and take longer."""

    model_config = _with_example(
        text=["gonna be late, soz", "Romeo says u r late"],
        style="formal",
        alternatives=2,
        protect=["Romeo"],
    )

    text: Texts
    scores: bool = Field(
        default=False,
        description="Rate style, meaning and fluency with the small judge.",
    )
    alignment: bool = Field(default=False, description="Align the words of each pair.")


class Change(BaseModel):
    """One edit: ``source[start:end]`` (``before``) became ``after``."""

    start: int
    end: int
    before: str
    after: str
    rule: str


class Kept(BaseModel):
    """An unchanged sentence, and the reason."""

    text: str
    why: str


class Scores(BaseModel):
    """The small judge's scores, 0 to 1; null if there is none."""

    style: float | None
    meaning: float | None
    fluency: float | None


class Alternative(BaseModel):
    """An alternative rewrite; see `paraphrast.Rewrite`."""

    text: str
    score: float = Field(
        description="Comparable only among the rewrites of the same text."
    )
    why: str = Field(description="Reason if the text is unchanged; otherwise empty.")
    changes: list[Change]
    steps: list[str]
    guards: list[str]
    kept: list[Kept]
    scores: Scores | None = None


Link = tuple[int, int, Literal["sure", "possible"]]


class Tokens(BaseModel):
    """The tokens of an alignment."""

    source: list[str]
    text: list[str]


class Rewritten(Alternative):
    """A source, its best rewrite, and others."""

    source: str
    alternatives: list[Alternative]
    alignment: list[Link] | None = Field(
        default=None,
        description="Words of the source and of the text that correspond.",
        examples=[[[0, 0, "sure"], [1, 2, "possible"]]],
    )
    tokens: Tokens | None = None


class Model(BaseModel):
    """The rewriter, and its pack if it has one."""

    rewriter: str
    pack: str | None
    sha256: str | None


class Usage(BaseModel):
    """The size of the request."""

    characters: int


class Done(BaseModel):
    """Metadata of the rewrites."""

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
    """A sentence of the text at ``index``, starting at ``start``."""

    index: int
    start: int


class StyleRecord(BaseModel):
    """A style and its rewriters."""

    name: str
    summary: str
    rewriters: list[str]


class Styles(BaseModel):
    """The available styles."""

    styles: list[StyleRecord]


class RewriterRecord(BaseModel):
    """A rewriter and its styles."""

    name: str
    summary: str
    styles: list[str]


class Rewriters(BaseModel):
    """The installed rewriters."""

    rewriters: list[RewriterRecord]


class ScoreRequest(_Request):
    """Texts to rate against their sources."""

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
        description="Operating point: fewer but more reliable possible links, a "
        "balance, or more links.",
    )


class Alignment(BaseModel):
    """The words of a pair and the links between them: source, target, probability."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int, float, Literal["sure", "possible"]]]
    error: str | None = Field(
        default=None, description="Reason why there are no links."
    )


class AlignResponse(BaseModel):
    """One alignment per pair, in order."""

    alignments: list[Alignment]
    aligner: str


class LimitsResponse(BaseModel):
    """The server's limits; 0 means no limit."""

    characters_per_text: int
    texts_per_request: int
    body_bytes: int
    body_seconds: int
    requests_per_minute: int
    queue_length: int
    jobs: int
    job_days: int


class JobForm(_Request):
    """A file to rewrite in the background, with options."""

    file: UploadFile
    style: StyleName
    rewriter: Text | None = None
    strength: Share | None = None
    alternatives: int = Field(default=0, ge=0, le=20)
    protect: list[Text] = []
    headings: bool = False
    seed: int = Field(default=1, ge=0, le=2**31 - 1)
    format: Text | None = Field(
        default=None,
        description="txt, md, csv, tsv or jsonl; by default from the file's name.",
    )
    column: Text | None = Field(
        default=None, description="Column of a CSV or TSV file."
    )
    field: Text | None = Field(default=None, description="Field of a JSONL file.")
    into: Text = Field(default="rewrite", description="New column or field.")
    track_changes: bool = Field(default=False, description="Track changes in a docx.")


class JobRecord(BaseModel):
    """The state of a job; ``done`` and ``total`` count characters of text."""

    id: str
    name: str
    style: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    total: int
    seconds_remaining: float | None
    why: str = Field(description="Reason if the job failed; otherwise empty.")
    left: list[str] = Field(
        description="What was left unchanged, one line per reason, when done."
    )


class JobList(BaseModel):
    """The caller's jobs, the newest first."""

    jobs: list[JobRecord]
