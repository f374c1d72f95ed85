"""What programs do with kubernetes_asyncio, against the cluster of the kubeconfig. A line `ok …` for a step."""

import asyncio

from kubernetes_asyncio import client, config, dynamic, watch
from kubernetes_asyncio.client.exceptions import ApiException

NAMESPACE = "default"
TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}


def job(name, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": TEMPLATE, **spec}}


async def version(api):
    assert (await client.VersionApi(api).get_code()).git_version == "v1.37.2"


async def job_is_watched_until_it_is_complete(api):
    batch = client.BatchV1Api(api)
    await batch.create_namespaced_job(NAMESPACE, job("asyncio", completions=2))
    async with watch.Watch() as changes:
        async for event in changes.stream(
            batch.list_namespaced_job, NAMESPACE, field_selector="metadata.name=asyncio", timeout_seconds=60
        ):
            if any(condition.type == "Complete" for condition in event["object"].status.conditions or []):
                break
    pods = await client.CoreV1Api(api).list_namespaced_pod(NAMESPACE, label_selector="job-name=asyncio")
    assert [pod.status.phase for pod in pods.items] == ["Succeeded", "Succeeded"], pods


async def log_is_read(api):
    core = client.CoreV1Api(api)
    pod = (await core.list_namespaced_pod(NAMESPACE, label_selector="job-name=asyncio")).items[0]
    assert (await core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE)).startswith("simulated: ")


async def many_requests_at_once(api):
    core = client.CoreV1Api(api)
    names = [f"at-once-{number}" for number in range(50)]
    bodies = [{"metadata": {"name": name}} for name in names]
    await asyncio.gather(*[core.create_namespaced_config_map(NAMESPACE, body) for body in bodies])
    found = {item.metadata.name for item in (await core.list_namespaced_config_map(NAMESPACE)).items}
    assert set(names) <= found, found


async def job_is_patched_and_deleted(api):
    batch = client.BatchV1Api(api)
    await batch.create_namespaced_job(NAMESPACE, job("asyncio-patched", suspend=True))
    patched = await batch.patch_namespaced_job("asyncio-patched", NAMESPACE, {"spec": {"parallelism": 2}})
    assert patched.spec.parallelism == 2, patched.spec
    answer = await batch.delete_namespaced_job("asyncio-patched", NAMESPACE, propagation_policy="Background")
    assert answer.status == "Success", answer


async def refusal_has_a_status(api):
    try:
        await client.BatchV1Api(api).create_namespaced_job(NAMESPACE, job("Refused"))
    except ApiException as error:
        assert error.status == 422, error
    else:
        raise AssertionError("a name in capitals was not refused")


async def dynamic_client_applies(api):
    jobs = await (await dynamic.DynamicClient(api)).resources.get(api_version="batch/v1", kind="Job")
    body = job("asyncio-applied", suspend=True)
    applied = await jobs.server_side_apply(name="asyncio-applied", namespace=NAMESPACE, body=body, field_manager="one")
    assert applied.metadata.managedFields[0].operation == "Apply", applied


async def main():
    await config.load_kube_config()
    async with client.ApiClient() as api:
        for step in [
            version,
            job_is_watched_until_it_is_complete,
            log_is_read,
            many_requests_at_once,
            job_is_patched_and_deleted,
            refusal_has_a_status,
            dynamic_client_applies,
        ]:
            await step(api)
            print(f"ok {step.__name__}", flush=True)


asyncio.run(main())
