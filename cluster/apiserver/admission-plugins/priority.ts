/**
 * Sets the priority of pods and PodGroups: that of their PriorityClass, or of the default class. There is at most one
 * default. A pod with priority 0 counts as one without a priority, because both look alike after defaulting. Source:
 * plugin/pkg/admission/priority.
 */
import type { Pod, PodGroup, PriorityClass } from "../../values/kinds.ts";
import type { ResourceRequest } from "../contract/context.ts";
import type { StoreOf } from "../contract/store-of.ts";
import { forbidden } from "../contract/status-errors.ts";
import type { AdmissionPlugin } from "./chain.ts";

const DEFAULT_POLICY = "PreemptLowerPriority";
/** What a pod has without any class. */
const NO_CLASS = { name: undefined, value: 0, preemptionPolicy: DEFAULT_POLICY };

interface Priority {
  readonly name: string | undefined;
  readonly value: number;
  readonly preemptionPolicy: string;
}

export const priority: AdmissionPlugin = {
  mutate(object, current, request) {
    const { definition, subresource } = request;
    if (current !== undefined || subresource !== undefined) return object;
    const { goType } = definition.body;
    if (goType === "core.Pod") return withPriority(object as Pod, request);
    return goType === "scheduling.PodGroup" ? withGroupPriority(object as PodGroup, request) : object;
  },
  validate(object, current, request) {
    const { definition } = request;
    if (definition.resource !== "priorityclasses" || object?.globalDefault !== true) return;
    const existing = defaultClass(request);
    if (existing && (current === undefined || existing.metadata.name !== object.metadata.name))
      throw forbidden(
        { group: definition.group, name: definition.resource },
        object.metadata.name,
        `PriorityClass ${existing.metadata.name} is already marked as default. Only one default can exist`,
      );
  },
};

function withPriority(pod: Pod, request: ResourceRequest): Pod {
  const { spec } = pod;
  const refuse = (why: string): never => {
    throw forbidden({ group: "", name: "pods" }, pod.metadata.name, why);
  };
  const found = priorityOf(spec.priorityClassName, request);
  if (!found) return refuse(`no PriorityClass with name ${spec.priorityClassName} was found`);
  const { name, value, preemptionPolicy } = found;
  if (spec.priority && spec.priority !== value)
    refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== DEFAULT_POLICY && spec.preemptionPolicy !== preemptionPolicy)
    refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  if (spec.priority === value && spec.preemptionPolicy === preemptionPolicy && spec.priorityClassName === name)
    return pod;
  return {
    ...pod,
    spec: { ...spec, ...(name !== undefined && { priorityClassName: name }), priority: value, preemptionPolicy },
  };
}

function withGroupPriority(group: PodGroup, request: ResourceRequest): PodGroup {
  const { priority: given, priorityClassName } = group.spec;
  const refuse = (why: string): never => {
    throw forbidden({ group: "scheduling.k8s.io", name: "podgroups" }, group.metadata.name, why);
  };
  const found = priorityOf(priorityClassName, request);
  if (!found) return refuse(`no PriorityClass with name ${priorityClassName} was found`);
  const { name, value } = found;
  if (given !== undefined && given !== value)
    refuse(
      `priority set in the pod group (${given}) must match the priority computed (${value}) based on the priority class set in the spec`,
    );
  return {
    ...group,
    spec: { ...group.spec, ...(name !== undefined && { priorityClassName: name }), priority: value },
  };
}

/** Undefined: there is no class of that name. */
function priorityOf(className: string | undefined, request: ResourceRequest): Priority | undefined {
  if (className === undefined || className === "") return readClass(defaultClass(request)) ?? NO_CLASS;
  return readClass(classes(request).get(className)?.object);
}

function readClass(priorityClass: PriorityClass | undefined): Priority | undefined {
  return (
    priorityClass && {
      name: priorityClass.metadata.name,
      value: priorityClass.value,
      preemptionPolicy: priorityClass.preemptionPolicy ?? DEFAULT_POLICY,
    }
  );
}

/** Should there be two, the lower one counts. */
function defaultClass(request: ResourceRequest): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const { object } of classes(request).scan("", ""))
    if (object.globalDefault === true && (!found || object.value < found.value)) found = object;
  return found;
}

function classes({ server }: ResourceRequest): StoreOf<PriorityClass> {
  return server.store(server.definition("scheduling.k8s.io", "priorityclasses"));
}
