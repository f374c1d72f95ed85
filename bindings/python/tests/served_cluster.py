"""A cluster to run Jobs in: `stint serve --no-controller` of this repository, with an API server and nodes, but no Job
controller. And a small client, to create Jobs and read their status.
"""

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from built_engine import REPOSITORY
from stint.controller.kubeconfig import Access, load_access

_NODE = REPOSITORY / "node_modules" / ".bin" / "node"
_TIME_LIMIT_S = 60.0
_INTERVAL_S = 0.05
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"


class ServedCluster:
    """The cluster, seen by a user of it."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig
        self._access: Access = load_access(kubeconfig)

    def request(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> Any:
        """The object in the answer. Raises HTTPError for anything but a success."""
        request = urllib.request.Request(
            f"{self._access.origin}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={**self._access.authorization(), "content-type": content_type},
        )
        with urllib.request.urlopen(request, context=self._access.tls, timeout=10) as answer:
            return json.load(answer)

    def create(self, name: str, simulate: dict[str, Any], **spec: Any) -> None:
        """A Job whose pods do as the annotation says."""
        template = {
            "metadata": {"annotations": {"stint.dev/simulate": json.dumps(simulate)}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.com/none:1"}]},
        }
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template}}
        job["spec"] |= spec  # type: ignore[operator]
        self.request("POST", JOBS, job)

    def patch(self, name: str, change: dict[str, Any]) -> None:
        self.request("PATCH", f"{JOBS}/{name}", change, "application/merge-patch+json")

    def wait_for(self, name: str, is_met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The Job, when its status is so."""
        until_s = time.monotonic() + _TIME_LIMIT_S
        while True:
            job: dict[str, Any] = self.request("GET", f"{JOBS}/{name}")
            if is_met(job.get("status", {})):
                return job
            assert time.monotonic() < until_s, f"after {_TIME_LIMIT_S} s the Job {name} is {json.dumps(job['status'])}"
            time.sleep(_INTERVAL_S)

    def wait_for_end(self, name: str) -> tuple[str, str, dict[str, Any]]:
        """The final condition of a Job: its type and reason; and the status."""
        status: dict[str, Any] = self.wait_for(name, lambda status: final_condition(status) is not None)["status"]
        condition = final_condition(status)
        assert condition is not None
        return condition["type"], condition.get("reason", ""), status


def final_condition(status: dict[str, Any]) -> dict[str, Any] | None:
    conditions = status.get("conditions", [])
    final = [one for one in conditions if one["type"] in ("Complete", "Failed") and one["status"] == "True"]
    return final[0] if final else None


@contextmanager
def served_cluster(folder: Path) -> Iterator[ServedCluster]:
    kubeconfig = folder / "stint.kubeconfig"
    command: list[str | Path] = [_NODE, "host-node/cli/main.ts", "serve", "--no-controller", "--kubeconfig", kubeconfig]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            # The kubeconfig is there before the first line.
            assert "Serving" in server.stdout.readline()
            yield ServedCluster(kubeconfig)
        finally:
            server.terminate()
            server.communicate()
