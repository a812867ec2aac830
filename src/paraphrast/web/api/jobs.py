"""``/v1/jobs``: files that are rewritten in the background."""

from dataclasses import fields
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Header, Request, Response
from fastapi.responses import FileResponse
from starlette.datastructures import UploadFile

from paraphrast.web.api.access import Caller, Identified, identify
from paraphrast.web.api.problems import PROBLEMS, describe_problems
from paraphrast.web.api.rewriting import run
from paraphrast.web.api.schemas import JobForm, JobList, JobRecord
from paraphrast.web.problems import Problem
from paraphrast.web.service.files import Asked, find_format, name_result
from paraphrast.web.service.jobs import Job, Jobs, TooManyJobsError
from paraphrast.web.service.rewriting import Service

MULTIPART: Literal["multipart/form-data"] = "multipart/form-data"
LONGEST_KEY = 200
router = APIRouter(
    prefix="/v1/jobs",
    tags=["jobs"],
    dependencies=[Depends(identify)],
    responses=PROBLEMS | describe_problems(404, 409),
)


@router.post("", status_code=202)
async def submit(
    form: Annotated[JobForm, Form(media_type=MULTIPART)],
    request: Request,
    response: Response,
    caller: Identified,
    idempotency_key: Annotated[str, Header(max_length=LONGEST_KEY)] = "",
) -> JobRecord:
    """Rewrite a file in the background; `Location` is the address of the job.

    The formats are those of `paraphrast rewrite`: lines of text, Markdown, CSV and TSV
    with a `column`, JSONL with a `field`, and documents that keep their formatting,
    such as docx and HTML. A repeated request with the same `Idempotency-Key` gives the
    same job.
    """
    given = {f.name: getattr(form, f.name) for f in fields(Asked)}
    asked = Asked(**given | {"protect": tuple(form.protect)})
    job = await submit_file(request, caller, form.file, asked, key=idempotency_key)
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    return _record(job)


async def submit_file(
    request: Request, caller: Caller, file: UploadFile, asked: Asked, *, key: str = ""
) -> Job:
    """Create a job for a file, or refuse it immediately."""
    name = file.filename or "file.txt"
    service: Service = request.app.state.service
    jobs: Jobs = request.app.state.jobs
    content = await file.read()

    def take() -> Job:
        find_format(name, asked)
        service.load(asked.style, using=asked.rewriter, strength=asked.strength)
        return jobs.submit(caller.name, name, content, asked, key=key)

    try:
        return await run(request, take)
    except TooManyJobsError as error:
        raise Problem(429, str(error), {"Retry-After": "60"}) from error


@router.get("")
def list_jobs(request: Request, caller: Identified) -> JobList:
    """List your jobs, the newest first."""
    jobs: Jobs = request.app.state.jobs
    return JobList(jobs=[_record(job) for job in jobs.list(caller.name)])


@router.get("/{job_id}")
def show(job_id: str, request: Request, caller: Identified) -> JobRecord:
    """Return a job's progress."""
    return _record(_find(request, caller.name, job_id))


@router.get("/{job_id}/result", response_class=FileResponse)
def result(job_id: str, request: Request, caller: Identified) -> FileResponse:
    """Return the rewritten file of a finished job."""
    jobs: Jobs = request.app.state.jobs
    job = _find(request, caller.name, job_id)
    if job.state != "done":
        raise Problem(409, f"the job is {job.state}, and has no result. {job.why}")
    return FileResponse(
        jobs.result(job),
        media_type="application/octet-stream",
        filename=name_result(job.name, job.asked.style),
    )


@router.delete("/{job_id}")
def cancel(job_id: str, request: Request, caller: Identified) -> JobRecord:
    """Cancel a job; delete it with its files if it has ended."""
    jobs: Jobs = request.app.state.jobs
    return _record(jobs.cancel(_find(request, caller.name, job_id)))


def _find(request: Request, owner: str, job_id: str) -> Job:
    jobs: Jobs = request.app.state.jobs
    job = jobs.find(owner, job_id)
    if job is None:
        raise Problem(404, "you have no such job. GET /v1/jobs lists yours.")
    return job


def _record(job: Job) -> JobRecord:
    return JobRecord(
        id=job.id,
        name=job.name,
        style=job.asked.style,
        state=job.state,
        done=job.done,
        total=job.total,
        seconds_remaining=job.seconds_remaining,
        why=job.why,
        left=list(job.left),
    )
