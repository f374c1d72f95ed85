"""The examples of the README run from the wheel alone, and do what the README says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PACKAGE
from fake_api import review_of
from served_cluster import ServedCluster


def blocks(language: str) -> list[str]:
    parts = (PACKAGE / "README.md").read_text(encoding="utf-8").split("```")
    return [part.removeprefix(f"{language}\n") for part in parts if part.startswith(f"{language}\n")]


def test_engine(installed_python: Path, tmp_path: Path) -> None:
    example, output = blocks("python")[0], blocks("text")[0]
    done = subprocess.run(
        [installed_python, "-I", "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (output, "")


@pytest.mark.parametrize("block", [1, 2])
def test_controller(installed_python: Path, tmp_path: Path, cluster: ServedCluster, block: int) -> None:
    shutil.copy(cluster.kubeconfig, tmp_path / "stint.kubeconfig")
    cluster.create(f"readme-{block}", {"runMs": 50})
    command: list[str | Path] = [installed_python, "-I", "-c", blocks("python")[block]]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert cluster.wait_for_end(f"readme-{block}")[0] == "Complete"
        finally:
            program.terminate()
            output, errors = program.communicate(timeout=60)
    assert (output, errors) == ("", "")


def test_webhook(installed_python: Path, tmp_path: Path) -> None:
    spec = {"parallelism": 101, "backoffLimit": 0}
    call = f"""
import asyncio, json
body = {review_of(spec)!r}
headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
async def receive(): return {{"type": "http.request", "body": body}}
async def send(message): print(message.get("status") or json.loads(message["body"])["response"]["status"]["message"])
scope = {{"type": "http", "method": "POST", "path": "/validate", "headers": headers}}
asyncio.run(application(scope, receive, send))
"""
    program = f"{blocks('python')[3]}{call}"
    done = subprocess.run(
        [installed_python, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("200\nspec.parallelism is above 100: ask for a quota\n", "")
