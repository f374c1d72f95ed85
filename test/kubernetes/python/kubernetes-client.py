"""What programs do with the official Python client, against the cluster of the kubeconfig. A line `ok …` for a step."""

import base64
import io
import os
import threading

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

NAMESPACE = "default"

config.load_kube_config()
core = client.CoreV1Api()
batch = client.BatchV1Api()


def container(**more):
    return {"name": "main", "image": "busybox", **more}


def job(name, **spec):
    template = {"spec": {"restartPolicy": "Never", "containers": [container()]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template, **spec}}


def refusal(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiException as error:
        return error
    raise AssertionError(f"{call.__name__} was not refused")


def version():
    assert client.VersionApi().get_code().git_version == "v1.37.2"


def discovery():
    groups = {group.name for group in client.ApisApi().get_api_versions().groups}
    assert {"batch", "coordination.k8s.io"} <= groups, groups
    resources = {resource.name: resource for resource in batch.get_api_resources().resources}
    assert resources["jobs"].kind == "Job" and resources["jobs"].namespaced, resources


def job_from_models_is_watched_until_it_is_complete():
    template = client.V1PodTemplateSpec(
        spec=client.V1PodSpec(restart_policy="Never", containers=[client.V1Container(name="main", image="busybox")])
    )
    body = client.V1Job(
        metadata=client.V1ObjectMeta(name="models", labels={"app": "models"}),
        spec=client.V1JobSpec(template=template, completions=2, parallelism=2),
    )
    created = batch.create_namespaced_job(NAMESPACE, body)
    assert created.spec.backoff_limit == 6 and created.metadata.uid, created
    changes = watch.Watch()
    for event in changes.stream(
        batch.list_namespaced_job,
        NAMESPACE,
        label_selector="app=models",
        resource_version=created.metadata.resource_version,
        timeout_seconds=60,
    ):
        conditions = event["object"].status.conditions or []
        if any(condition.type == "Complete" and condition.status == "True" for condition in conditions):
            changes.stop()
    done = batch.read_namespaced_job_status("models", NAMESPACE)
    assert done.status.succeeded == 2, done.status


def pods_of_a_job_are_listed_and_logged():
    pods = core.list_namespaced_pod(NAMESPACE, label_selector="batch.kubernetes.io/job-name=models").items
    assert [pod.status.phase for pod in pods] == ["Succeeded", "Succeeded"], pods
    assert core.read_namespaced_pod_log(pods[0].metadata.name, NAMESPACE).startswith("simulated: ")
    events = core.list_namespaced_event(NAMESPACE, field_selector="involvedObject.name=models").items
    assert {"SuccessfulCreate", "Completed"} <= {event.reason for event in events}, events


def lists_come_in_pieces():
    for number in range(5):
        metadata = {"name": f"piece-{number}", "labels": {"in": "pieces"}}
        core.create_namespaced_config_map(NAMESPACE, {"metadata": metadata})
    first = core.list_namespaced_config_map(NAMESPACE, label_selector="in=pieces", limit=2)
    assert len(first.items) == 2, first
    rest = core.list_namespaced_config_map(NAMESPACE, label_selector="in=pieces", _continue=first.metadata._continue)
    assert len(rest.items) == 3, rest
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="in=pieces")
    assert core.list_namespaced_config_map(NAMESPACE, label_selector="in=pieces").items == []


def job_is_patched_suspended_and_deleted():
    batch.create_namespaced_job(NAMESPACE, job("patched", suspend=True))
    patched = batch.patch_namespaced_job("patched", NAMESPACE, {"spec": {"parallelism": 3}})
    assert patched.spec.parallelism == 3 and patched.spec.suspend, patched.spec
    steps = [{"op": "add", "path": "/metadata/labels", "value": {"by": "json-patch"}}]
    assert batch.patch_namespaced_job("patched", NAMESPACE, steps).metadata.labels["by"] == "json-patch"
    body = client.V1DeleteOptions(propagation_policy="Background")
    assert batch.delete_namespaced_job("patched", NAMESPACE, body=body)["status"] == "Success"
    assert refusal(batch.read_namespaced_job, "patched", NAMESPACE).status == 404


def refusals_have_a_status_and_a_reason():
    error = refusal(batch.create_namespaced_job, NAMESPACE, job("Refused"))
    assert error.status == 422 and '"reason":"Invalid"' in error.body, error
    core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "twice"}})
    assert refusal(core.create_namespaced_config_map, NAMESPACE, {"metadata": {"name": "twice"}}).reason == "Conflict"


def secret_is_stored_in_base64():
    body = client.V1Secret(metadata=client.V1ObjectMeta(name="secret"), string_data={"key": "value"})
    stored = core.create_namespaced_secret(NAMESPACE, body)
    assert base64.b64decode(stored.data["key"]) == b"value" and stored.type == "Opaque", stored


def service_account_claim_and_cron_job():
    core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "runner"}})
    names = {account.metadata.name for account in core.list_namespaced_service_account(NAMESPACE).items}
    assert "runner" in names, names
    spec = client.V1PersistentVolumeClaimSpec(
        access_modes=["ReadWriteOnce"], resources=client.V1VolumeResourceRequirements(requests={"storage": "1Gi"})
    )
    claim = client.V1PersistentVolumeClaim(metadata=client.V1ObjectMeta(name="claim"), spec=spec)
    assert core.create_namespaced_persistent_volume_claim(NAMESPACE, claim).status.phase == "Pending"
    schedule = {"schedule": "0 3 * * *", "jobTemplate": {"spec": job("")["spec"]}}
    daily = {"metadata": {"name": "daily"}, "spec": schedule}
    assert batch.create_namespaced_cron_job(NAMESPACE, daily).spec.concurrency_policy == "Allow"


def dynamic_client_applies():
    dynamic_client = dynamic.DynamicClient(client.ApiClient())
    jobs = dynamic_client.resources.get(api_version="batch/v1", kind="Job")
    assert jobs.namespaced and "patch" in jobs.verbs, jobs
    applied = jobs.server_side_apply(
        name="applied", namespace=NAMESPACE, body=job("applied", suspend=True), field_manager="one"
    )
    assert applied.metadata.managedFields[0].manager == "one", applied.metadata
    other = job("applied", suspend=False)
    try:
        jobs.server_side_apply(name="applied", namespace=NAMESPACE, body=other, field_manager="two")
        raise AssertionError("a conflict was not refused")
    except dynamic.exceptions.ConflictError as error:
        assert ".spec.suspend" in str(error.summary()), error.summary()
    forced = jobs.server_side_apply(
        name="applied", namespace=NAMESPACE, body=other, field_manager="two", force_conflicts=True
    )
    assert forced.spec.suspend is False, forced.spec
    seen = next(iter(jobs.watch(namespace=NAMESPACE, name="applied", timeout=10)))
    assert seen["object"].metadata.name == "applied", seen
    jobs.delete(name="applied", namespace=NAMESPACE)


def objects_of_a_file_are_created():
    documents = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "from-yaml"}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "c", "namespace": "from-yaml"},
            "data": {"a": "b"},
        },
        {"apiVersion": "v1", "kind": "List", "items": [job("listed")]},
    ]
    api = client.ApiClient()
    for document in yaml.safe_load_all(io.StringIO(yaml.dump_all(documents))):
        utils.create_from_dict(api, document, namespace=NAMESPACE)
    assert core.read_namespaced_config_map("c", "from-yaml").data == {"a": "b"}
    assert batch.read_namespaced_job("listed", NAMESPACE).metadata.name == "listed"


def watch_begins_where_a_list_ended():
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    changes = watch.Watch()
    events = changes.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=30)
    core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "later"}})
    core.delete_namespaced_config_map("later", NAMESPACE)
    seen = []
    for event in events:
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            changes.stop()
    assert seen == [("ADDED", "later"), ("DELETED", "later")], seen


def one_of_two_leads():
    led = []
    done = threading.Event()

    def candidate(name):
        lock = LeaseLock("leader", NAMESPACE, name)
        settings = electionconfig.Config(
            lock,
            lease_duration=17,
            renew_deadline=15,
            retry_period=5,
            onstarted_leading=lambda: (led.append(name), done.set()),
            onstopped_leading=lambda: None,
        )
        leaderelection.LeaderElection(settings).run()

    threading.Thread(target=candidate, args=("one",), daemon=True).start()
    assert done.wait(60), "no leader"
    threading.Thread(target=candidate, args=("two",), daemon=True).start()
    lease = client.CoordinationV1Api().read_namespaced_lease("leader", NAMESPACE)
    assert led == ["one"] and lease.spec.holder_identity == "one", (led, lease.spec)


for step in [
    version,
    discovery,
    job_from_models_is_watched_until_it_is_complete,
    pods_of_a_job_are_listed_and_logged,
    lists_come_in_pieces,
    job_is_patched_suspended_and_deleted,
    refusals_have_a_status_and_a_reason,
    secret_is_stored_in_base64,
    service_account_claim_and_cron_job,
    dynamic_client_applies,
    objects_of_a_file_are_created,
    watch_begins_where_a_list_ended,
    one_of_two_leads,
]:
    step()
    print(f"ok {step.__name__}", flush=True)

# The candidates never stop, and Python cannot exit while they write.
os._exit(0)
