"""stint.testing: a cluster that a test starts, moves and stops, and the pytest plugin."""

import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import BatchV1Api

from built_engine import REPOSITORY
from served_cluster import JOBS, final_condition
from stint.testing import CommandNotFoundError, ControlError, StartError, StintCluster
from stint.testing.command import find_command

COMMAND = [str(REPOSITORY / "node_modules" / ".bin" / "node"), str(REPOSITORY / "host-node" / "cli" / "main.ts")]
EXAMPLE = REPOSITORY / "examples" / "testing" / "pytest"


@pytest.fixture(scope="module")
def shared() -> Iterator[StintCluster]:
    with StintCluster.start(command=COMMAND) as started:
        yield started


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Of the Job of a test."""
    return str(request.node.name).replace("_", "-")


def create(cluster: StintCluster, name: str, **spec: Any) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.com/none:1"}]}}
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template, **spec}}
    cluster.request("POST", JOBS, body)


def end_of(cluster: StintCluster, name: str) -> str | None:
    condition = final_condition(cluster.request("GET", f"{JOBS}/{name}").get("status", {}))
    return None if condition is None else condition["type"]


def test_time_moves_when_it_is_told_to(shared: StintCluster, name: str) -> None:
    create(shared, name)
    before = shared.now()
    assert [pod.phase for pod in shared.pods(f"job/{name}")] == ["Running"]
    assert shared.now() == before
    assert shared.advance("90s") - before == timedelta(seconds=90)
    assert shared.advance(timedelta(minutes=1)) - before == timedelta(seconds=150)
    assert end_of(shared, name) == "Complete"


def test_pods_end_as_they_are_told(shared: StintCluster, name: str) -> None:
    create(shared, name, completionMode="Indexed", completions=3, parallelism=3, backoffLimitPerIndex=0)
    failed = shared.fail_pods(f"job/{name}", index=2, exit_code=3, reason="OOMKilled")
    assert [(pod.index, pod.node) for pod in failed] == [(2, "stint")]
    assert [pod.index for pod in shared.succeed_pods(f"job/{name}", index=0)] == [0]
    assert shared.until_idle() == []
    assert end_of(shared, name) == "Failed"
    assert "exit code 3, OOMKilled" in shared.why(f"job/{name}")
    assert name in [job.job for job in shared.unsuccessful_jobs()]


def test_outcomes_and_conditions(shared: StintCluster, name: str) -> None:
    shared.outcomes(f"job/{name}", {"exitCodes": [1, 0], "runMs": 1000})
    create(shared, name)
    before = shared.now()
    assert shared.until(f"job/{name}", "Complete") - before > timedelta(seconds=10)
    shared.outcomes(f"job/{name}", None)


def test_a_wait_ends_at_its_limit(shared: StintCluster, name: str) -> None:
    create(shared, name)
    shared.hang_pods(f"job/{name}")
    with pytest.raises(ControlError, match="has not come after 1m") as refused:
        shared.until(f"job/{name}", "Failed", "1m")
    assert refused.value.code == 409
    shared.succeed_pods(f"job/{name}")


def test_a_wait_for_what_can_no_longer_come_ends_at_once(shared: StintCluster, name: str) -> None:
    shared.outcomes(f"job/{name}", {"exitCode": 3})
    create(shared, name, backoffLimit=0)
    shared.until(f"job/{name}", "Failed")
    shared.outcomes(f"job/{name}", None)
    before = shared.now()
    with pytest.raises(ControlError, match=r"is Failed \(BackoffLimitExceeded\), so Complete cannot come") as refused:
        shared.until(f"job/{name}", "Complete")
    assert refused.value.code == 409
    assert "exit code 3" in str(refused.value)
    assert shared.now() == before


def test_a_condition_that_jobs_do_not_have_is_refused(shared: StintCluster, name: str) -> None:
    create(shared, name)
    with pytest.raises(ControlError, match="allowed are those of a Job: Complete, Failed, Suspended") as refused:
        shared.until(f"job/{name}", "Succeeded")
    assert refused.value.code == 400
    shared.until(f"job/{name}", "Complete")


def test_hanging_pods_are_waited_for(shared: StintCluster, name: str) -> None:
    create(shared, name)
    shared.hang_pods(f"job/{name}")
    [waiting] = shared.until_idle()
    assert (waiting.job, waiting.why[:16]) == (name, "waiting for pods")
    shared.succeed_pods(f"job/{name}")
    assert shared.until_idle() == []


def test_faults(shared: StintCluster, name: str) -> None:
    shared.outcomes(f"job/{name}", {"runMs": "forever"})
    create(shared, name, completions=3, parallelism=3, backoffLimit=100)
    assert len(shared.evict_pods(f"job/{name}")) == 3
    shared.advance("15m")
    assert len(shared.delete_pods(f"job/{name}")) == 3
    shared.advance("15m")
    shared.crash("controller")
    assert len([pod for pod in shared.drain("stint").evicted if pod.startswith(name)]) >= 3
    shared.uncordon("stint")
    shared.cordon("stint")
    shared.uncordon("stint")
    shared.advance("15m")
    assert len(shared.succeed_pods(f"job/{name}")) == 3
    shared.until_idle()
    assert end_of(shared, name) == "Complete"


def test_a_lost_node_is_found_out() -> None:
    with StintCluster.start(nodes=2, command=COMMAND) as cluster:
        cluster.lose_node("node-2")
        cluster.advance("10m")
        nodes = cluster.request("GET", "/api/v1/nodes")["items"]
        ready = {
            node["metadata"]["name"]: condition["status"]
            for node in nodes
            for condition in node["status"]["conditions"]
            if condition["type"] == "Ready"
        }
        assert ready == {"node-1": "True", "node-2": "Unknown"}


def test_names_repeat_with_a_seed(name: str) -> None:
    def names(seed: int) -> list[str]:
        with StintCluster.start(seed=seed, command=COMMAND) as cluster:
            create(cluster, name, completions=2, parallelism=2)
            return [pod.name for pod in cluster.pods(f"job/{name}")]

    assert names(7) == names(7)
    assert names(7) != names(8)


def test_a_refusal_shows_the_line_of_the_test_and_not_our_own(shared: StintCluster) -> None:
    with pytest.raises(ControlError) as refused:
        shared.fail_pods("job/missing")
    shown = [entry.path for entry in refused.traceback.filter(refused)]
    assert [Path(path).name for path in shown] == ["test_testing.py"]


def test_refusals_say_what_is_allowed(shared: StintCluster) -> None:
    with pytest.raises(ControlError, match="there is no Job missing in namespace default") as refused:
        shared.why("job/missing")
    assert refused.value.code == 404
    with pytest.raises(ControlError, match="not found"):
        shared.request("GET", f"{JOBS}/missing")


def test_the_client_of_kubernetes(shared: StintCluster, name: str) -> None:
    create(shared, name)
    job = BatchV1Api(shared.client()).read_namespaced_job(name, "default")
    assert job.status is not None and job.status.active == 1


def test_the_recording_can_be_replayed(shared: StintCluster, tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(shared.recording())
    replayed = subprocess.run([*COMMAND, "replay", path], capture_output=True, text=True, check=False)
    assert (replayed.returncode, replayed.stderr) == (0, "")


def test_it_leaves_nothing_behind() -> None:
    cluster = StintCluster.start(command=COMMAND)
    assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600
    cluster.stop()
    cluster.stop()
    assert not cluster.kubeconfig.exists()


def test_the_server_ends_with_a_program_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import time; from stint.testing import StintCluster\n"
        f"c = StintCluster.start(command={COMMAND!r}); print(c.kubeconfig, flush=True); time.sleep(600)"
    )
    sources = {"PYTHONPATH": str(REPOSITORY / "bindings" / "python" / "src")}
    environment = {**os.environ, **sources, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as started:
        assert started.stdout is not None
        kubeconfig = Path(started.stdout.readline().strip())
        assert kubeconfig.exists()
        started.send_signal(signal.SIGKILL)
    while kubeconfig.exists():  # The server removes it when it ends.
        time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_start_says_why() -> None:
    said = "ended with status 2 before it served; it said: stint: unknown option '--no-such-option'"
    with pytest.raises(StartError, match=said):
        StintCluster.start(["--no-such-option"], command=COMMAND)
    with pytest.raises(StartError, match="no-such-command cannot be started"):
        StintCluster.start(command=["no-such-command"])


def test_the_command_is_found(tmp_path: Path) -> None:
    assert find_command(tmp_path, {"STINT_COMMAND": "node 'a b/stint.mjs'"}) == ["node", "a b/stint.mjs"]
    with pytest.raises(CommandNotFoundError, match="npm install --save-dev @stint-dev/stint"):
        find_command(tmp_path, {"PATH": ""})
    inside = tmp_path / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    (inside / "stint").write_text("#!/bin/sh\n")
    (tmp_path / "tests").mkdir()
    assert find_command(tmp_path / "tests", {"PATH": ""}) == [str(inside / "stint")]
    (inside / "stint").chmod(0o755)
    assert find_command(tmp_path, {"PATH": str(inside)}) == [str(inside / "stint")]


def test_a_command_of_the_current_folder_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / "stint"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", "", os.pathsep, f".{os.pathsep}/usr/bin"):
        with pytest.raises(CommandNotFoundError, match=r"not on the PATH"):
            find_command(tmp_path, {"PATH": path})
    assert find_command(tmp_path, {"PATH": str(tmp_path)}) == [str(planted)]


def test_a_command_that_others_may_have_installed_is_not_taken(tmp_path: Path) -> None:
    inside = tmp_path / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    command = inside / "stint"
    command.write_text("#!/bin/sh\n")
    tests = tmp_path / "tests"
    tests.mkdir()
    for part in (inside.parent, inside, command):
        mode = part.stat().st_mode
        part.chmod(0o777)
        with pytest.raises(CommandNotFoundError, match=r"can be written by every user\. If it is meant, name it in"):
            find_command(tests, {"PATH": ""})
        part.chmod(mode)
    assert find_command(tests, {"PATH": ""}) == [str(command)]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file to another user")
def test_a_command_of_another_user_is_not_taken(tmp_path: Path) -> None:
    inside = tmp_path / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    (inside / "stint").write_text("#!/bin/sh\n")
    tests = tmp_path / "tests"
    tests.mkdir()
    os.chown(inside.parent, 12345, 12345)
    with pytest.raises(CommandNotFoundError, match=r"node_modules belongs to another user \(12345\)"):
        find_command(tests, {"PATH": ""})
    # Who owns the tests has them run anyway: a folder of the host in a container of root, for example.
    os.chown(tests, 12345, 12345)
    assert find_command(tests, {"PATH": ""}) == [str(inside / "stint")]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a link to another user")
@pytest.mark.parametrize("at", ["node_modules", "node_modules/.bin", "node_modules/.bin/stint"])
def test_a_link_of_another_user_is_not_followed(tmp_path: Path, at: str) -> None:
    command = tmp_path / "tests" / "node_modules" / ".bin" / "stint"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    link = tmp_path / "tests" / at
    first = link.rename(tmp_path / "installed")
    second = tmp_path / "between"
    second.symlink_to(first)
    link.symlink_to(second)
    tests = tmp_path / "tests"
    assert find_command(tests, {"PATH": ""}) == [str(command)]
    for of_another in (link, second):
        os.lchown(of_another, 12345, 12345)
        with pytest.raises(CommandNotFoundError, match=rf"{of_another} belongs to another user \(12345\)"):
            find_command(tests, {"PATH": ""})
        os.lchown(of_another, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows starts no scripts by their first line")
def test_the_command_finds_nothing_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "stint"
    command.write_text("#!/usr/bin/env planted-node\n")
    planted = tmp_path / "planted-node"
    planted.write_text("#!/bin/sh\n: > was-started\n")
    for script in (command, planted):
        script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", "", f"{os.pathsep}/usr/bin", f".{os.pathsep}/usr/bin{os.pathsep}/bin"):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(StartError, match="planted-node"):
            StintCluster.start(command=[str(command)])
        assert not (tmp_path / "was-started").exists()


class TestExample:
    """examples/testing/pytest, with the wheel alone."""

    def run(self, installed_python: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [installed_python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=folder,
            env={**os.environ, "STINT_COMMAND": " ".join(COMMAND), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_its_tests_pass(self, installed_python: Path, tmp_path: Path) -> None:
        folder = shutil.copytree(EXAMPLE, tmp_path / "example")
        done = self.run(installed_python, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1].startswith("3 passed")
        assert not (folder / "stint-recordings").exists()

    def test_one_fails_when_the_code_forgets_that_jobs_fail(self, installed_python: Path, tmp_path: Path) -> None:
        folder = shutil.copytree(EXAMPLE, tmp_path / "example")
        code = (folder / "reports.py").read_text(encoding="utf-8")
        (folder / "reports.py").write_text(code.replace('if "Failed" in true:', "if False:"), encoding="utf-8")
        done = self.run(installed_python, folder, STINT_PLAYGROUND="http://localhost:8000/")
        assert done.returncode == 1
        assert done.stdout.splitlines()[-1].startswith("1 failed, 2 passed")
        _, said = done.stdout.split(" stint ", 1)
        assert "BackoffLimitExceeded" in said
        assert re.search(r"; the last failure: pod \S+ has failed: container \S+ exited \(exit code", said)
        name = "test_reports.py-test_a_report_that_always_fails_is_given_up.stint.jsonl"
        assert f"stint replay --explain {folder / 'stint-recordings' / name}" in said
        _, link = said.split("http://localhost:8000/#r1/")
        data = link.splitlines()[0]
        recording = zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)), wbits=-zlib.MAX_WBITS)
        assert recording == (folder / "stint-recordings" / name).read_bytes()

    @pytest.mark.parametrize(
        ("environment", "reason"),
        [
            ({"STINT_COMMAND": "", "PATH": ""}, "there is no command stint: not in $STINT_COMMAND"),
            ({"STINT_COMMAND": "no-such-command"}, "no-such-command cannot be started: "),
        ],
    )
    def test_without_the_command_it_says_so_and_nothing_else(
        self, installed_python: Path, tmp_path: Path, environment: dict[str, str], reason: str
    ) -> None:
        folder = shutil.copytree(EXAMPLE, tmp_path / "example")
        done = self.run(installed_python, folder, **environment)
        assert done.returncode == 1
        assert done.stdout.splitlines()[-1].startswith("3 errors")
        lines = [line for line in done.stdout.splitlines() if line.startswith(reason)]
        assert len(lines) == 3
        # A trace would show code of the plugin, and the variables of the environment.
        assert "def " not in done.stdout and "environ" not in done.stdout
