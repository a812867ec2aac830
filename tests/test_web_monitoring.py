"""What a server counts and logs: routes and statuses, and nothing of anybody's."""

import re

import pytest
from starlette.testclient import TestClient

from paraphrast.web.app import create_app
from paraphrast.web.monitoring import BUCKETS, Counts
from paraphrast.web.settings import Settings


@pytest.fixture
def client(tmp_path):
    app = create_app(Settings(data=tmp_path))
    return TestClient(app, base_url="http://127.0.0.1")


def read(client):
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return answer.text


def test_requests_are_counted_by_route_and_status(client):
    for job in ("secret-1", "secret-2"):
        client.get(f"/v1/jobs/{job}")
    client.get("/private-path")
    client.post("/v1/rewrite", json={"text": "gonna go. soz", "style": "formal"})
    text = read(client)
    name = "paraphrast_requests_total"
    route = "/v1/jobs/{job_id}"
    assert f'{name}{{method="GET",route="{route}",status="404"}} 2\n' in text
    assert f'{name}{{method="other",route="other",status="404"}} 1\n' in text
    assert "paraphrast_sentences_total 2\n" in text
    assert "paraphrast_sentences_waiting 0\n" in text
    assert "paraphrast_jobs_unfinished 0\n" in text
    assert "secret" not in text
    assert "private" not in text


def test_every_line_is_what_prometheus_reads(client):
    client.get("/healthz")
    sample = re.compile(
        r'[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [0-9.e+-]+'
    )
    for line in read(client).splitlines():
        assert line.startswith("# TYPE ") or sample.fullmatch(line), line


def test_a_histogram_bucket_counts_all_requests_up_to_its_bound():
    counts = Counts()
    for seconds in (0.001, 0.3, 1000.0):
        counts.add("GET", "/x", 200, seconds)
    buckets = dict(zip((*BUCKETS, "+Inf"), counts.buckets["/x"], strict=True))
    assert (buckets[0.005], buckets[0.25], buckets[0.5], buckets["+Inf"]) == (
        1,
        1,
        2,
        3,
    )
    lines = list(counts.write({}))
    assert 'paraphrast_request_seconds_count{route="/x"} 3' in lines
    assert 'paraphrast_request_seconds_sum{route="/x"} 1000.301000' in lines


def test_a_request_is_logged_without_what_was_sent(client, caplog):
    with caplog.at_level("INFO", logger="paraphrast"):
        answer = client.get("/v1/jobs/secret?key=secret")
    assert answer.headers["x-request-id"] in caplog.text
    assert "GET /v1/jobs/{job_id} 404" in caplog.text
    assert "secret" not in caplog.text
