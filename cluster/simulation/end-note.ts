/** Explains why something in a finished run does not end: one sentence, or none. */
import { JOBS, PODS, resourcePath, withQuery } from "../client/client.ts";
import { endOf } from "../values/job-conditions.ts";
import type { Api } from "./api.ts";
import type { ContainerStatus, Job, Pod } from "../values/kinds.ts";

/** Query for pods that have not ended. */
export const UNFINISHED = { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" };

/** @returns empty: every Job has ended, and no pod is left */
export function endNote(api: Api): string {
  const pods = api.get(withQuery(resourcePath(PODS), { ...UNFINISHED, limit: 1 }));
  const [pod] = pods.ok ? (pods.object.items ?? []) : [];
  if (pod !== undefined) return `Nothing is left to happen: ${podReason(pod)}.`;
  const jobs = api.get(resourcePath(JOBS));
  const job = (jobs.ok ? (jobs.object.items ?? []) : []).find((item) => endOf(item) === undefined);
  return job === undefined ? "" : `Nothing is left to happen: ${jobReason(job)}.`;
}

/** Whether a pod has a node and a container that has not been started, so that its kubelet retries. */
export function triesAgain(api: Api): boolean {
  const pods = api.get(withQuery(resourcePath(PODS), UNFINISHED));
  const items = pods.ok ? (pods.object.items ?? []) : [];
  return items.some((pod) => pod.spec.nodeName !== undefined && containersOf(pod).some(({ state }) => state?.waiting));
}

function containersOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function podReason(pod: Pod): string {
  const name = `pod ${pod.metadata.name}`;
  const status = pod.status ?? {};
  const waiting = containersOf(pod)
    .map(({ state }) => state?.waiting?.reason)
    .find((reason) => isHopeless(reason));
  if (waiting !== undefined) return `${name} waits for ever (${waiting})`;
  if (pod.spec.nodeName === undefined) {
    const condition = (status.conditions ?? []).find(({ type }) => type === "PodScheduled");
    return `${name} has no node${condition?.message === undefined ? "" : ` (${condition.message.replace(/\.$/, "")})`}`;
  }
  if (pod.metadata.deletionTimestamp !== undefined) return `${name} is being deleted, and something holds it`;
  return status.phase === "Running" ? `${name} runs for ever` : `${name} waits for ever`;
}

function isHopeless(reason: string | undefined): boolean {
  return reason !== undefined && reason !== "PodInitializing" && reason !== "ContainerCreating";
}

function jobReason({ metadata: { name }, ...job }: Job): string {
  const { suspend, managedBy } = job.spec;
  if (managedBy !== undefined && managedBy !== "kubernetes.io/job-controller")
    return `job ${name} waits for the controller ${managedBy}, which is not here`;
  return suspend === true ? `job ${name} is suspended` : `job ${name} waits for ever`;
}
