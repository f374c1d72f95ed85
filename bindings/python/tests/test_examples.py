"""The programs of examples/python run, from the wheel alone."""

import http.client
import json
import signal
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any

import trustme

from built_engine import REPOSITORY
from served_cluster import ServedCluster

EXAMPLES = REPOSITORY / "examples" / "python"
CASES: list[dict[str, Any]] = json.loads(
    (REPOSITORY / "test" / "examples" / "webhook-cases.json").read_text(encoding="utf-8")
)
"""What the webhooks of all languages answer."""


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
            # A client that connects and sends nothing blocks no other client.
            with socket.create_connection(("127.0.0.1", port)):
                answers = [reviewed(port, context, one) for one in CASES]
        finally:
            webhook.terminate()
            _, errors = webhook.communicate(timeout=60)
    assert len(CASES) > 0
    wanted = [(one["allowed"], one.get("message"), one["warnings"], one["isPatched"]) for one in CASES]
    for case, answer, expected in zip(CASES, answers, wanted, strict=True):
        assert answer == expected, case["name"]
    assert {line.split(" ", 1)[0] for line in errors.splitlines()} == {"INFO:stint.admission:r", "127.0.0.1"}


def reviewed(port: int, context: ssl.SSLContext, case: dict[str, Any]) -> tuple[bool, str | None, list[str], bool]:
    """Whether a Job may be created, the message of a refusal, the warnings, and whether there is a patch."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}}
    request = {
        "uid": "r",
        "operation": "CREATE",
        "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
        "namespace": "ns",
        "object": {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "j", "namespace": "ns", "uid": "u"},
            "spec": {**case["spec"], "template": template},
        },
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
    connection.request("POST", f"{case['path']}?timeout=10s", json.dumps(review), {"content-type": "application/json"})
    response = json.load(connection.getresponse())["response"]
    connection.close()
    message = response.get("status", {}).get("message")
    return response["allowed"], message, response.get("warnings", []), "patch" in response
