"""What programs do with lightkube, against the cluster of the kubeconfig. A line `ok …` for a step that works."""

import asyncio
import threading

from lightkube import ApiError, AsyncClient, Client, codecs, operators
from lightkube.core.exceptions import ConditionError
from lightkube.generic_resource import create_namespaced_resource, load_in_cluster_generic_resources
from lightkube.models.apiextensions_v1 import (
    CustomResourceDefinitionNames,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion,
    CustomResourceSubresources,
    CustomResourceValidation,
    JSONSchemaProps,
)
from lightkube.models.batch_v1 import CronJobSpec, JobSpec, JobTemplateSpec
from lightkube.models.core_v1 import Container, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.batch_v1 import CronJob, Job
from lightkube.resources.core_v1 import ConfigMap, Namespace, Node, Pod
from lightkube.types import CascadeType, PatchType

MANIFEST = """
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: busybox}}]
"""

# A separate namespace: its lists are of all Jobs.
OPTIONS = {"field_manager": "lightkube", "namespace": "lightkube"}
client = Client(**OPTIONS)
client.create(Namespace(metadata=ObjectMeta(name="lightkube")))


def job(name, **spec):
    containers = [Container(name="main", image="busybox", command=["sh", "-c", "echo first; echo last"])]
    template = PodTemplateSpec(spec=PodSpec(restartPolicy="Never", containers=containers))
    return Job(metadata=ObjectMeta(name=name, labels={"by": "lightkube"}), spec=JobSpec(template=template, **spec))


def config_map(name, **data):
    return ConfigMap(metadata=ObjectMeta(name=name, labels={"by": "lightkube"}), data=data)


def refusal(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiError as error:
        return error.status
    raise AssertionError(f"{call.__name__} was not refused")


def job_runs_to_its_end():
    created = client.create(job("runs"))
    assert created.spec.completions == 1 and created.metadata.uid, created
    done = client.wait(Job, "runs", for_conditions=["Complete"], raise_for_conditions=["Failed"])
    assert done.status.succeeded == 1, done.status
    assert client.get(Job.Status, "runs").status.succeeded == 1


def condition_that_raises():
    client.create(job("late", activeDeadlineSeconds=1, suspend=True))
    client.patch(Job, "late", {"spec": {"suspend": False, "parallelism": 0}})
    try:
        client.wait(Job, "late", for_conditions=["Complete"], raise_for_conditions=["Failed"])
    except ConditionError as error:
        assert "longer than specified deadline" in str(error), error
    else:
        raise AssertionError("the Job has not failed")


def log_is_read_and_followed():
    pods = list(client.list(Pod, labels={"batch.kubernetes.io/job-name": "runs"}))
    assert [pod.status.phase for pod in pods] == ["Succeeded"], pods
    name = pods[0].metadata.name
    [line] = client.log(name)
    assert line.startswith("simulated: "), line
    [stamped] = client.log(name, follow=True, tail_lines=1, timestamps=True, since=600)
    time, _, rest = stamped.partition(" ")
    assert time.endswith("Z") and rest == line, stamped


def lists_are_selected():
    assert len(list(client.list(Job, labels={"by": ["lightkube", "others"]}))) == 2
    assert list(client.list(Job, labels={"by": operators.not_in(["lightkube"])})) == []
    assert [found.metadata.name for found in client.list(Job, fields={"metadata.name": "runs"})] == ["runs"]
    others = client.list(Job, fields={"metadata.name": operators.not_equal("runs")})
    assert [found.metadata.name for found in others] == ["late"]
    assert [found.metadata.name for found in client.list(Job, fields={"status.successful": "1"})] == ["runs"]
    assert len(list(client.list(Node))) >= 1


def lists_come_in_pieces():
    for number in range(7):
        client.create(ConfigMap(metadata=ObjectMeta(name=f"piece-{number}", labels={"in": "pieces"})))
    pieces = client.list(ConfigMap, labels={"in": "pieces"}, chunk_size=3)
    assert len(list(pieces)) == 7 and pieces.resourceVersion, pieces


def four_kinds_of_patches():
    client.patch(Job, "runs", {"metadata": {"annotations": {"a": "1"}}})
    merge = {"metadata": {"annotations": {"a": None, "b": "1"}}}
    client.patch(Job, "runs", merge, patch_type=PatchType.MERGE)
    steps = [{"op": "add", "path": "/metadata/annotations/c", "value": "2"}]
    client.patch(Job, "runs", steps, patch_type=PatchType.JSON)
    metadata = {"name": "runs", "annotations": {"d": "3"}}
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}
    applied = client.patch(Job, "runs", body, patch_type=PatchType.APPLY, field_manager="other", force=True)
    assert applied.metadata.annotations == {"b": "1", "c": "2", "d": "3"}, applied.metadata


def object_is_applied_and_a_conflict_refused():
    client.apply(config_map("applied", key="one"))
    assert client.apply(config_map("applied", key="two")).data == {"key": "two"}
    status = refusal(client.apply, config_map("applied", key="three"), field_manager="other")
    assert status.code == 409 and '"lightkube"' in status.message, status
    assert client.apply(config_map("applied", key="three"), field_manager="other", force=True).data == {"key": "three"}


def stale_object_is_a_conflict():
    stale = client.get(ConfigMap, "applied")
    stale.data = {"key": "four"}
    client.replace(stale)
    status = refusal(client.replace, stale)
    assert (status.code, status.reason) == (409, "Conflict"), status
    status = refusal(client.get, Job, "missing")
    assert status.message == 'jobs.batch "missing" not found', status


def changes_are_watched():
    jobs = client.list(Job)
    list(jobs)
    seen = []
    threading.Thread(target=lambda: client.create(job("watched"))).start()
    for event, found in client.watch(Job, resource_version=jobs.resourceVersion, server_timeout=60):
        if found.metadata.name == "watched":
            seen.append(event)
            if any(condition.type == "Complete" for condition in found.status.conditions or []):
                break
    assert seen[0] == "ADDED" and set(seen[1:]) == {"MODIFIED"}, seen


def custom_resource_has_a_class():
    properties = {"spec": JSONSchemaProps(type="object", properties={"n": JSONSchemaProps(type="integer", minimum=1)})}
    schema = JSONSchemaProps(type="object", properties={**properties, "status": JSONSchemaProps(type="object")})
    version = CustomResourceDefinitionVersion(
        name="v1",
        served=True,
        storage=True,
        subresources=CustomResourceSubresources(status={}),
        schema=CustomResourceValidation(openAPIV3Schema=schema),
    )
    names = CustomResourceDefinitionNames(kind="Thing", plural="things", singular="thing")
    spec = CustomResourceDefinitionSpec(group="example.com", scope="Namespaced", names=names, versions=[version])
    client.create(CustomResourceDefinition(metadata=ObjectMeta(name="things.example.com"), spec=spec))
    client.wait(CustomResourceDefinition, "things.example.com", for_conditions=["Established"])
    thing = create_namespaced_resource("example.com", "v1", "Thing", "things")
    assert client.create(thing(metadata=ObjectMeta(name="good"), spec={"n": 2})).spec == {"n": 2}
    status = refusal(client.create, thing(metadata=ObjectMeta(name="bad"), spec={"n": 0}))
    assert status.code == 422 and "greater than or equal to 1" in status.message, status
    load_in_cluster_generic_resources(client)


def objects_of_a_manifest_are_created():
    for loaded in codecs.load_all_yaml(MANIFEST.format(name="loaded")):
        client.create(loaded)
    assert client.wait(Job, "loaded", for_conditions=["Complete"]).status.completedIndexes == "0,1"


def job_is_made_of_a_cron_job():
    spec = CronJobSpec(schedule="0 3 * * *", jobTemplate=JobTemplateSpec(spec=job("").spec))
    stored = client.create(CronJob(metadata=ObjectMeta(name="daily"), spec=spec))
    assert stored.spec.concurrencyPolicy == "Allow", stored.spec
    made = client.create(Job(metadata=ObjectMeta(generateName="daily-"), spec=stored.spec.jobTemplate.spec))
    assert made.metadata.name.startswith("daily-"), made.metadata
    client.wait(Job, made.metadata.name, for_conditions=["Complete"])


def deletion_is_seen():
    version = client.create(job("goes", suspend=True)).metadata.resourceVersion
    client.delete(Job, "goes", cascade=CascadeType.FOREGROUND)
    changes = client.watch(Job, fields={"metadata.name": "goes"}, resource_version=version, server_timeout=60)
    assert "DELETED" in (event for event, _ in changes), "the Job is still there"
    assert refusal(client.get, Job, "goes").code == 404
    client.deletecollection(ConfigMap)
    assert list(client.list(ConfigMap)) == []


def jobs_are_waited_for_at_once():
    async def run():
        at_once = AsyncClient(**OPTIONS)
        names = [f"at-once-{number}" for number in range(10)]
        await asyncio.gather(*[at_once.create(job(name)) for name in names])
        done = await asyncio.gather(*[at_once.wait(Job, name, for_conditions=["Complete"]) for name in names])
        return [found.status.succeeded for found in done]

    assert asyncio.run(run()) == [1] * 10


for step in [
    job_runs_to_its_end,
    condition_that_raises,
    log_is_read_and_followed,
    lists_are_selected,
    lists_come_in_pieces,
    four_kinds_of_patches,
    object_is_applied_and_a_conflict_refused,
    stale_object_is_a_conflict,
    changes_are_watched,
    custom_resource_has_a_class,
    objects_of_a_manifest_are_created,
    job_is_made_of_a_cron_job,
    deletion_is_seen,
    jobs_are_waited_for_at_once,
]:
    step()
    print(f"ok {step.__name__}", flush=True)
