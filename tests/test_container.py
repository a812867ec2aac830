"""The container: what its files promise, and a build where an engine answers."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from paraphrast.cli.main import build_command
from paraphrast.web.settings import PORT

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text("utf-8")


def test_the_image_runs_unprivileged_with_a_health_check():
    assert "USER 10001\n" in DOCKERFILE
    assert "HEALTHCHECK" in DOCKERFILE
    assert f"127.0.0.1:{PORT}/readyz" in DOCKERFILE
    assert f"EXPOSE {PORT}\n" in DOCKERFILE
    assert "VOLUME /data\n" in DOCKERFILE


def test_the_entry_point_is_an_existing_command():
    entry = re.search(r"ENTRYPOINT \[(.+)\]", DOCKERFILE)[1]
    words = re.findall(r'"([^"]+)"', entry)
    command = build_command().commands[words[1]]
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= flags
    assert "--database" in flags  # which compose.yaml gives


def test_compose_publishes_on_loopback_and_drops_privileges():
    assert f'"127.0.0.1:{PORT}:{PORT}"' in COMPOSE
    for line in ("read_only: true", 'cap_drop: ["ALL"]', "no-new-privileges:true"):
        assert line in COMPOSE
    assert "PARAPHRAST_SECRET:?" in COMPOSE


def test_the_image_installs_what_the_pages_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    offered = project["optional-dependencies"]
    asked = re.search(r'pip install [^"]*"\.\[([\w,]+)\]"', DOCKERFILE)[1].split(",")
    assert {*asked} <= offered.keys()
    brought = " ".join(line for name in asked for line in offered[name])
    brought += " ".join(offered["documents"] if "[documents]" in brought else ())
    for package in ("fastapi", "psycopg", "lxml", "sacrebleu", "jinja2"):
        assert package in brought


def test_local_build_outputs_stay_out_of_the_image():
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {".git", ".venv", "build", "**/*.so"} <= {*ignored}


@pytest.mark.slow
def test_the_image_builds():
    if not shutil.which("docker") or subprocess.run(["docker", "info"]).returncode:
        pytest.skip("no container engine answers")
    subprocess.run(["docker", "build", "--tag", "paraphrast-test", ROOT], check=True)
