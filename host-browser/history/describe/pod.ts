/** A pod as `kubectl describe pod` prints it. Source: describePod of kubectl's describe.go. */
import { since } from "../../../cluster/apiserver/tables/duration.ts";
import type { Event, Pod, PodSpec } from "../../../cluster/values/kinds.ts";
import { describeContainers } from "./containers.ts";
import { describeEvents } from "./events.ts";
import { describeAnnotations, describeLabels, describeTolerations } from "./metadata.ts";
import { DescribedText, longTime } from "./text.ts";
import { describeVolumes } from "./volumes.ts";

/**
 * @param events those about the pod
 * @param nowMs since 1970
 */
export function describePod(pod: Pod, events: readonly Event[], nowMs: number): string {
  const to = new DescribedText();
  const { metadata, spec = {} as PodSpec, status = {} } = pod;
  to.line(0, `Name:\t${metadata.name}`);
  to.line(0, `Namespace:\t${metadata.namespace ?? ""}`);
  if (spec.priority !== undefined) to.line(0, `Priority:\t${spec.priority}`);
  if (spec.priorityClassName) to.line(0, `Priority Class Name:\t${spec.priorityClassName}`);
  if (spec.serviceAccountName) to.line(0, `Service Account:\t${spec.serviceAccountName}`);
  to.line(0, `Node:\t${spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ""}` : "<none>"}`);
  if (status.startTime) to.line(0, `Start Time:\t${longTime(status.startTime)}`);
  describeLabels(to, "Labels", metadata.labels);
  describeAnnotations(to, "Annotations", metadata.annotations);
  describePhase(to, pod, nowMs);
  to.line(0, `IP:\t${status.podIP ?? ""}`);
  const ips: readonly { readonly ip: string }[] = status.podIPs ?? [];
  to.line(0, `IPs:${ips.length === 0 ? "\t<none>" : ""}`);
  for (const { ip } of ips) to.line(1, `IP:\t${ip}`);
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner !== undefined) to.line(0, `Controlled By:\t${owner.kind}/${owner.name}`);
  if (status.nominatedNodeName) to.line(0, `NominatedNodeName:\t${status.nominatedNodeName}`);
  describeAllContainers(to, pod);
  describeConditions(to, status.conditions ?? []);
  describeVolumes(to, spec.volumes ?? [], "");
  to.line(0, `QoS Class:\t${status.qosClass ?? ""}`);
  describeLabels(to, "Node-Selectors", spec.nodeSelector);
  describeTolerations(to, "Tolerations", spec.tolerations);
  describeEvents(to, events, nowMs);
  return to.toString();
}

function describePhase(to: DescribedText, { metadata, status = {} }: Pod, nowMs: number): void {
  const { phase = "", reason, message } = status;
  if (metadata.deletionTimestamp !== undefined && phase !== "Failed" && phase !== "Succeeded") {
    to.line(0, `Status:\tTerminating (lasts ${since(metadata.deletionTimestamp, nowMs)})`);
    to.line(0, `Termination Grace Period:\t${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else {
    to.line(0, `Status:\t${phase}`);
  }
  if (reason) to.line(0, `Reason:\t${reason}`);
  if (message) to.line(0, `Message:\t${message}`);
}

function describeAllContainers(to: DescribedText, pod: Pod): void {
  const { spec = {} as PodSpec, status = {} } = pod;
  const fieldValue = (path: string): string => valueOfField(pod, path);
  if ((spec.initContainers?.length as number) > 0)
    describeContainers(to, {
      label: "Init Containers",
      containers: spec.initContainers!,
      space: "",
      fieldValue,
      statuses: status.initContainerStatuses,
    });
  describeContainers(to, {
    label: "Containers",
    containers: spec.containers ?? [],
    space: "",
    fieldValue,
    statuses: status.containerStatuses,
  });
}

function describeConditions(to: DescribedText, conditions: readonly { type: string; status: string }[]): void {
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type\tStatus");
  for (const { type, status } of conditions) to.line(1, `${type} \t${status} `);
}

/** kubectl resolves only the simple fields. */
function valueOfField({ metadata, spec = {} as PodSpec, status = {} }: Pod, path: string): string {
  const values: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.hostIP": status.hostIP,
    "status.podIP": status.podIP,
  };
  return values[path] ?? "";
}
