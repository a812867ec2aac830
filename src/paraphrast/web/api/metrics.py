"""``/metrics``: metrics for Prometheus."""

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse

from paraphrast.web.api.access import identify
from paraphrast.web.api.problems import describe_problems
from paraphrast.web.monitoring import Counts
from paraphrast.web.service.admission import Admission
from paraphrast.web.service.jobs import Jobs
from paraphrast.web.service.rewriting import Service

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
router = APIRouter(tags=["health"], dependencies=[Depends(identify)])


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses=describe_problems(401, 429),
)
def metrics(request: Request) -> PlainTextResponse:
    """Return request counts, durations, and queue lengths."""
    state = request.app.state
    service: Service = state.service
    admission: Admission = state.admission
    jobs: Jobs = state.jobs
    counts: Counts = state.counts
    gauges = {
        "paraphrast_batches_total": service.batcher.batches,
        "paraphrast_sentences_total": service.batcher.sentences,
        "paraphrast_sentences_waiting": service.batcher.waiting,
        "paraphrast_rewriting_requests": admission.inside,
        "paraphrast_jobs_unfinished": jobs.unfinished,
    }
    lines = counts.write(gauges)
    return PlainTextResponse("\n".join(lines) + "\n", media_type=MEDIA_TYPE)
