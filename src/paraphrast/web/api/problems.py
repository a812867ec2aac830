"""Descriptions of problem responses for OpenAPI."""

from typing import Any

from paraphrast.web.problems import MEDIA_TYPE, ProblemDetails

_DESCRIPTIONS = {
    400: "The request cannot be fulfilled; `detail` says why.",
    401: "An API key is required.",
    403: "Another site sent the request.",
    404: "Not found.",
    408: "The body arrived too slowly.",
    409: "Not in this state.",
    413: "The request is too large.",
    415: "The body's content type is not JSON.",
    422: "The request is not well-formed.",
    429: "Too many requests.",
}
_SCHEMA = {"schema": ProblemDetails.model_json_schema()}


def describe_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of problems with these statuses."""
    return {
        status: {
            "description": _DESCRIPTIONS[status],
            "content": {MEDIA_TYPE: _SCHEMA},
        }
        for status in statuses
    }


PROBLEMS = describe_problems(400, 401, 403, 408, 413, 415, 422, 429)
