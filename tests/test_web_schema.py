"""``/v1`` against its own description: schemathesis tries what a client might send."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from paraphrast.web.app import create_app
from paraphrast.web.settings import Limits, Settings

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
HOST = {"Host": "127.0.0.1"}
BOTH = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
OPERATIONS = [
    ("POST", "/v1/rewrite", BOTH),
    ("POST", "/v1/score", BOTH),
    ("POST", "/v1/align", BOTH),
    ("POST", "/v1/jobs", BOTH[:1]),
    ("GET", "/v1/jobs/{job_id}", BOTH[:1]),
    ("DELETE", "/v1/jobs/{job_id}", BOTH[:1]),
    ("GET", "/v1/jobs/{job_id}/result", BOTH[:1]),
    ("GET", "/v1/limits", BOTH[:1]),
    ("GET", "/metrics", BOTH[:1]),
]


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    limits = Limits(characters_per_text=200, texts_per_request=4, jobs=1000)
    app = create_app(Settings(data=tmp_path_factory.mktemp("data"), limits=limits))
    return schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST)


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [(method, path, mode) for method, path, modes in OPERATIONS for mode in modes],
)
def test_every_request_is_answered_as_described(schema, method, path, mode):
    @settings(
        max_examples=5,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def call(case):
        case.call_and_validate(headers=HOST, checks=CHECKS)

    call()
