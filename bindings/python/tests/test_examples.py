"""The programs of examples/python run, from the wheel alone."""

import signal
import subprocess
from pathlib import Path

import pytest

from built_engine import REPOSITORY
from served_cluster import ServedCluster

EXAMPLES = REPOSITORY / "examples" / "python"


@pytest.mark.parametrize(("name", "most"), [("controller.py", 40)])
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
