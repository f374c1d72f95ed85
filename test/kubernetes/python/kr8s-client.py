"""What programs do with kr8s, against the cluster of the kubeconfig. A line `ok …` for a step that works."""

import kr8s
from kr8s.objects import ConfigMap, Job, Pod, Secret, object_from_spec

api = kr8s.api()
TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}


def job(name, **spec):
    return Job({"metadata": {"name": name, "namespace": "default"}, "spec": {"template": TEMPLATE, **spec}})


def version():
    assert api.version()["gitVersion"] == "v1.37.2"


def resources_are_discovered():
    kinds = {resource["kind"] for resource in api.api_resources()}
    assert {"Job", "Pod", "ConfigMap", "Lease"} <= kinds, kinds
    assert "batch/v1" in set(api.api_versions())


def job_runs_to_its_end():
    running = job("kr8s", completions=2)
    running.create()
    running.wait("condition=Complete", timeout=60)
    running.refresh()
    assert running.status.succeeded == 2, running.status


def pods_are_selected():
    pods = list(kr8s.get("pods", namespace="default", label_selector={"batch.kubernetes.io/job-name": "kr8s"}))
    assert len(pods) == 2 and all(pod.status.phase == "Succeeded" for pod in pods), pods
    assert "".join(pods[0].logs()).startswith("simulated: ")
    owner = Job.get("kr8s", namespace="default")
    assert pods[0].metadata.ownerReferences[0].uid == owner.metadata.uid


def object_is_patched_labelled_and_annotated():
    settings = ConfigMap({"metadata": {"name": "kr8s", "namespace": "default"}, "data": {"a": "1"}})
    settings.create()
    settings.patch({"data": {"b": "2"}})
    settings.label(team="red")
    settings.annotate(note="here")
    found = ConfigMap.get("kr8s", namespace="default")
    assert dict(found.data) == {"a": "1", "b": "2"} and found.labels.team == "red", found.raw
    assert found.annotations.note == "here", found.raw
    found.delete()
    assert not settings.exists()


def changes_are_watched():
    metadata = {"name": "kr8s", "namespace": "default", "labels": {"by": "kr8s"}}
    Secret({"metadata": metadata, "stringData": {"k": "v"}}).create()
    for event, secret in api.watch("secrets", namespace="default", label_selector="by=kr8s"):
        assert (event, secret.name) == ("ADDED", "kr8s"), (event, secret)
        break


def refusal_is_an_error():
    try:
        job("Refused").create()
    except kr8s.ServerError as error:
        assert error.response.status_code == 422 and "RFC 1123" in str(error), error
    else:
        raise AssertionError("a name in capitals was not refused")


def any_kind_has_a_class():
    lease = object_from_spec(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "kr8s", "namespace": "default"},
            "spec": {"holderIdentity": "me"},
        },
        allow_unknown_type=True,
    )
    lease.create()
    assert lease.raw["spec"]["holderIdentity"] == "me", lease.raw
    lease.delete()


def pod_is_ready_and_deleted():
    containers = TEMPLATE["spec"]["containers"]
    pod = Pod({"metadata": {"name": "kr8s", "namespace": "default"}, "spec": {"containers": containers}})
    pod.create()
    pod.wait("jsonpath='{.status.phase}'=Running", timeout=60)
    pod.delete()
    pod.wait("delete", timeout=60)


for step in [
    version,
    resources_are_discovered,
    job_runs_to_its_end,
    pods_are_selected,
    object_is_patched_labelled_and_annotated,
    changes_are_watched,
    refusal_is_an_error,
    any_kind_has_a_class,
    pod_is_ready_and_deleted,
]:
    step()
    print(f"ok {step.__name__}", flush=True)
