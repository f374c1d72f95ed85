/** A Job as `kubectl describe job` prints it. Source: describeJob and DescribePodTemplate of kubectl's describe.go. */
import { selectorText } from "../../../cluster/apiserver/tables/jobs.ts";
import { humanDuration } from "../../../cluster/apiserver/tables/duration.ts";
import { parseTime } from "../../../cluster/values/times.ts";
import type { Event, Job, JobSpec, PodSpec, PodTemplateSpec } from "../../../cluster/values/kinds.ts";
import { describeContainers } from "./containers.ts";
import { describeEvents } from "./events.ts";
import { describeAnnotations, describeLabels, describeTolerations } from "./metadata.ts";
import { DescribedText, longTime } from "./text.ts";
import { describeVolumes } from "./volumes.ts";

/** kubectl cuts longer lists of indexes at the next comma. */
const MAX_INDEXES = 50;

/**
 * @param events those about the Job itself
 * @param nowMs since 1970
 */
export function describeJob(job: Job, events: readonly Event[], nowMs: number): string {
  const to = new DescribedText();
  const { metadata, spec = {} as JobSpec } = job;
  to.line(0, `Name:\t${metadata.name}`);
  to.line(0, `Namespace:\t${metadata.namespace ?? ""}`);
  to.line(0, `Selector:\t${selectorText(spec.selector)}`);
  describeLabels(to, "Labels", metadata.labels);
  describeAnnotations(to, "Annotations", metadata.annotations);
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner !== undefined) to.line(0, `Controlled By:\t${owner.kind}/${owner.name}`);
  describeSpec(to, spec);
  describeStatus(to, job);
  describeTemplate(to, spec.template ?? {});
  describeEvents(to, events, nowMs);
  return to.toString();
}

function describeSpec(to: DescribedText, spec: JobSpec): void {
  to.line(0, `Parallelism:\t${spec.parallelism ?? "<unset>"}`);
  to.line(0, `Completions:\t${spec.completions ?? "<unset>"}`);
  if (spec.completionMode !== undefined) to.line(0, `Completion Mode:\t${spec.completionMode}`);
  if (spec.suspend !== undefined) to.line(0, `Suspend:\t${spec.suspend}`);
  if (spec.backoffLimit !== undefined) to.line(0, `Backoff Limit:\t${spec.backoffLimit}`);
  if (spec.ttlSecondsAfterFinished !== undefined)
    to.line(0, `TTL Seconds After Finished:\t${spec.ttlSecondsAfterFinished}`);
}

function describeStatus(to: DescribedText, { spec, status = {} }: Job): void {
  const { active = 0, completedIndexes = "", completionTime, failed = 0, ready, startTime, succeeded = 0 } = status;
  if (startTime) to.line(0, `Start Time:\t${longTime(startTime)}`);
  if (completionTime) to.line(0, `Completed At:\t${longTime(completionTime)}`);
  if (startTime && completionTime)
    to.line(0, `Duration:\t${humanDuration(parseTime(completionTime) - parseTime(startTime))}`);
  if (spec?.activeDeadlineSeconds !== undefined) to.line(0, `Active Deadline Seconds:\t${spec.activeDeadlineSeconds}s`);
  const readyText = ready === undefined ? "" : ` (${ready} Ready)`;
  to.line(0, `Pods Statuses:\t${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`);
  if (spec?.completionMode === "Indexed") to.line(0, `Completed Indexes:\t${cappedIndexes(completedIndexes)}`);
}

function describeTemplate(to: DescribedText, { metadata = {}, spec = {} as PodSpec }: Partial<PodTemplateSpec>): void {
  to.line(0, "Pod Template:");
  describeLabels(to, "  Labels", metadata.labels);
  if (Object.keys(metadata.annotations ?? {}).length > 0)
    describeAnnotations(to, "  Annotations", metadata.annotations);
  if (spec.serviceAccountName) to.line(0, `  Service Account:\t${spec.serviceAccountName}`);
  const fieldValue = (): string => "";
  if ((spec.initContainers?.length as number) > 0)
    describeContainers(to, { label: "Init Containers", containers: spec.initContainers!, space: "  ", fieldValue });
  describeContainers(to, { label: "Containers", containers: spec.containers ?? [], space: "  ", fieldValue });
  describeVolumes(to, spec.volumes ?? [], "  ");
  if (spec.priorityClassName) to.line(0, `  Priority Class Name:\t${spec.priorityClassName}`);
  describeLabels(to, "  Node-Selectors", spec.nodeSelector);
  describeTolerations(to, "  Tolerations", spec.tolerations);
}

function cappedIndexes(indexes: string): string {
  if (indexes === "") return "<none>";
  const end = indexes.indexOf(",", MAX_INDEXES);
  return end < 0 ? indexes : `${indexes.slice(0, end + 1)}...`;
}
