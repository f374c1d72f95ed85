"""Runs reports as Jobs, and says how they ended. The code under test."""

from kubernetes.client import (
    BatchV1Api,
    V1Container,
    V1Job,
    V1JobSpec,
    V1ObjectMeta,
    V1PodSpec,
    V1PodTemplateSpec,
)


def start(api: BatchV1Api, name: str) -> None:
    """Starts a report, which may be tried three times."""
    pod = V1PodSpec(restart_policy="Never", containers=[V1Container(name="report", image="example.com/report:1")])
    spec = V1JobSpec(backoff_limit=2, template=V1PodTemplateSpec(spec=pod))
    api.create_namespaced_job("default", V1Job(metadata=V1ObjectMeta(name=name), spec=spec))


def state_of(api: BatchV1Api, name: str) -> str:
    """`running`, `done` or `failed`."""
    conditions = api.read_namespaced_job(name, "default").status.conditions or []
    true = {condition.type for condition in conditions if condition.status == "True"}
    if "Failed" in true:
        return "failed"
    return "done" if "Complete" in true else "running"
