"""The whole controller runs Jobs of a cluster that has no other: each kind of end, retries, indexes and suspension."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from built_engine import engine_module
from fake_api import running
from served_cluster import PODS, ServedCluster
from stint import Decision, EngineConstants
from stint.controller import Controller

_Value = TypeVar("_Value")
SHORT: dict[str, Any] = {"runMs": 50}
# The waits between retries are not what is looked at here.
CONSTANTS: EngineConstants = {"podBackoffBaseMs": 20, "podBackoffMaxMs": 40}


def run_meanwhile(cluster: ServedCluster, see: Callable[[], _Value], **settings: Any) -> _Value:
    """What is seen while the controller runs."""

    async def run() -> _Value:
        settings.setdefault("managed_by", None)
        controller = Controller(
            kubeconfig=cluster.kubeconfig, constants=CONSTANTS, module=engine_module(), **settings
        )
        async with running(controller):
            return await asyncio.to_thread(see)

    return asyncio.run(run())


def test_success(cluster: ServedCluster) -> None:
    cluster.create("success", SHORT, completions=3, parallelism=2)
    kind, reason, status = run_meanwhile(cluster, lambda: cluster.wait_for_end("success"))
    assert (kind, reason, status["succeeded"]) == ("Complete", "CompletionsReached", 3)


def test_retries(cluster: ServedCluster) -> None:
    cluster.create("retries", {**SHORT, "exitCodes": [1, 1, 0]}, backoffLimit=3)
    kind, _, status = run_meanwhile(cluster, lambda: cluster.wait_for_end("retries"))
    assert (kind, status["succeeded"], status["failed"]) == ("Complete", 1, 2)


def test_failure(cluster: ServedCluster) -> None:
    decided: list[Decision] = []
    cluster.create("failure", {**SHORT, "exitCode": 3}, backoffLimit=1)
    kind, reason, status = run_meanwhile(
        cluster, lambda: cluster.wait_for_end("failure"), on_decisions=decided.extend
    )
    assert (kind, reason, status["failed"]) == ("Failed", "BackoffLimitExceeded", 2)
    codes = [decision["code"] for decision in decided if decision["job"] == "failure"]
    assert codes.count("TooManyFailures") == 1


def test_deadline(cluster: ServedCluster) -> None:
    cluster.create("deadline", {"runMs": 3_600_000}, activeDeadlineSeconds=1)
    kind, reason, _ = run_meanwhile(cluster, lambda: cluster.wait_for_end("deadline"))
    assert (kind, reason) == ("Failed", "DeadlineExceeded")


def test_indexed(cluster: ServedCluster) -> None:
    cluster.create("indexed", SHORT, completions=4, parallelism=4, completionMode="Indexed")
    kind, _, status = run_meanwhile(cluster, lambda: cluster.wait_for_end("indexed"))
    assert (kind, status["completedIndexes"]) == ("Complete", "0-3")


def test_suspended_and_resumed(cluster: ServedCluster) -> None:
    cluster.create("suspended", SHORT, suspend=True)

    def see() -> tuple[dict[str, Any], int, str]:
        is_said = lambda status: bool(status.get("conditions"))  # noqa: E731
        suspended = cluster.wait_for("suspended", is_said)["status"]["conditions"][0]
        pods = cluster.request("GET", f"{PODS}?labelSelector=job-name%3Dsuspended")["items"]
        cluster.patch("suspended", {"spec": {"suspend": False}})
        return suspended, len(pods), cluster.wait_for_end("suspended")[0]

    suspended, pods, end = run_meanwhile(cluster, see)
    assert (suspended["type"], suspended["status"], pods, end) == ("Suspended", "True", 0, "Complete")


def test_a_new_controller_goes_on_where_the_one_before_was_stopped(cluster: ServedCluster) -> None:
    cluster.create("handover", {"runMs": 400}, completions=3)
    run_meanwhile(cluster, lambda: cluster.wait_for("handover", lambda status: status.get("active") == 1))
    kind, _, status = run_meanwhile(cluster, lambda: cluster.wait_for_end("handover"))
    assert (kind, status["succeeded"], status.get("failed", 0)) == ("Complete", 3, 0)


def test_jobs_of_one_manager_in_one_namespace(cluster: ServedCluster) -> None:
    manager = "example.com/python"
    cluster.create("managed", SHORT, managedBy=manager)
    cluster.create("not-managed", SHORT)
    run_meanwhile(cluster, lambda: cluster.wait_for_end("managed"), managed_by=manager, namespaces=["default"])
    assert cluster.request("GET", "/apis/batch/v1/namespaces/default/jobs/not-managed")["status"] == {}
