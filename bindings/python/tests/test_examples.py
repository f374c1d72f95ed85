"""The programs of examples/python run, from the wheel alone."""

import http.client
import json
import signal
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
import trustme

from built_engine import REPOSITORY
from fake_api import review_of
from served_cluster import ServedCluster

EXAMPLES = REPOSITORY / "examples" / "python"


@pytest.mark.parametrize(("name", "most"), [("controller.py", 40), ("webhook.py", 60)])
def test_examples_are_short(name: str, most: int) -> None:
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= most


def test_controller(installed_python: Path, cluster: ServedCluster) -> None:
    command: list[str | Path] = [installed_python, "-I", EXAMPLES / "controller.py", cluster.kubeconfig]
    cluster.create("example", {"runMs": 50}, completions=2)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as controller:
        try:
            assert cluster.wait_for_end("example")[0] == "Complete"
        finally:
            controller.send_signal(signal.SIGTERM)
            output, errors = controller.communicate(timeout=60)
    assert (controller.returncode, errors) == (0, "")
    assert "default/example: the Job has ended with Complete: 2 succeeded, 0 failed" in output.splitlines()


def test_webhook(installed_python: Path, tmp_path: Path) -> None:
    authority = trustme.CA()
    pair = authority.issue_cert("127.0.0.1")
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    pair.cert_chain_pems[0].write_to_path(certificate)
    pair.private_key_pem.write_to_path(key)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    command: list[str | Path] = [installed_python, "-I", EXAMPLES / "webhook.py", certificate, key, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as webhook:
        try:
            assert webhook.stdout is not None
            port = int(webhook.stdout.readline().rsplit(":", 1)[1])
            # Somebody who connects and says nothing stops nobody.
            with socket.create_connection(("127.0.0.1", port)):
                allowed, warnings, _ = reviewed(port, context, {"activeDeadlineSeconds": 60})
                denied, _, message = reviewed(port, context, {"ttlSecondsAfterFinished": 60})
                refused, _, _ = reviewed(port, context, {"activeDeadlineSeconds": -1})
        finally:
            webhook.terminate()
            _, errors = webhook.communicate(timeout=60)
    assert (allowed, denied, refused) == (True, False, False)
    assert warnings == ["spec.ttlSecondsAfterFinished is not set: the finished Job stays until somebody deletes it"]
    assert message == "spec.activeDeadlineSeconds is not set: say how long the Job may take"
    assert errors.splitlines() == [
        "INFO:stint.admission:r1 is denied: by a check",
        "INFO:stint.admission:r1 is denied: spec.activeDeadlineSeconds",
    ]


def reviewed(port: int, context: ssl.SSLContext, spec: dict[str, int]) -> tuple[bool, list[str], str]:
    """Whether the creation of a Job is allowed, the warnings, and the message of a refusal."""
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
    connection.request("POST", "/validate?timeout=10s", review_of(spec), {"content-type": "application/json"})
    response = json.load(connection.getresponse())["response"]
    connection.close()
    return response["allowed"], response.get("warnings", []), response.get("status", {}).get("message", "")
