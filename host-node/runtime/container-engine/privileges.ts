/**
 * Fields of a pod that would give its containers power over the machine of the engine. Unless the user allows them,
 * they are refused before anything runs, and again when a pod is made and when a container starts.
 */
import type { UnsupportedField } from "../../../cluster/kubelet/container-runtime.ts";
import { HOST_PATH_REFUSAL, hostPathProblem } from "../host-paths.ts";
import type { Container as KubeContainer, Pod } from "../../../cluster/values/kinds.ts";

export interface Allowances {
  readonly allowHostPath: boolean;
  readonly allowPrivileged: boolean;
}

type Container = Partial<Pick<KubeContainer, "securityContext">>;

/** What engines give every container. */
const USUAL_CAPABILITIES = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];
const REFUSAL = "it would give the container power over the machine of the engine; --allow-privileged allows that";

/** The fields of a pod because of which it can never start here. */
export function refusedFields(pod: Pod, { allowHostPath, allowPrivileged }: Allowances): UnsupportedField[] {
  const { initContainers = [], containers = [], volumes = [], securityContext = {}, ...spec } = pod.spec;
  const found: UnsupportedField[] = [];
  const refuse = (path: string, isRefused: boolean): void => {
    if (isRefused && !allowPrivileged) found.push({ path, why: REFUSAL });
  };
  for (const field of ["hostNetwork", "hostPID", "hostIPC"] as const) refuse(`spec.${field}`, spec[field] === true);
  refuse("spec.securityContext.seccompProfile.type", isUnconfined(securityContext));
  for (const [list, items] of Object.entries({ initContainers, containers }))
    items.forEach((container, i) => {
      for (const field of powersOf(container)) refuse(`spec.${list}[${i}].${field}`, true);
    });
  volumes.forEach(({ hostPath }, i) => {
    if (hostPath === undefined) return;
    const path = `spec.volumes[${i}].hostPath`;
    const problem = hostPathProblem(hostPath, undefined);
    if (!allowHostPath) found.push({ path, why: HOST_PATH_REFUSAL });
    else if (problem !== undefined && problem.isAbsence !== true)
      found.push({ path: `${path}.${problem.field}`, why: problem.why });
  });
  return found;
}

/** The same for one container, such as one that is added to an existing pod. The paths are in the container. */
export function refusedOfContainer(container: Container, { allowPrivileged }: Allowances): UnsupportedField[] {
  return allowPrivileged ? [] : powersOf(container).map((path) => ({ path, why: REFUSAL }));
}

function powersOf({ securityContext: context = {} }: Container): string[] {
  const added: readonly string[] = context.capabilities?.add ?? [];
  const isUnusual = added.some((name) => !USUAL_CAPABILITIES.includes(name.replace(/^CAP_/, "")));
  return [
    ...(context.privileged === true ? ["securityContext.privileged"] : []),
    ...(isUnconfined(context) ? ["securityContext.seccompProfile.type"] : []),
    ...(isUnusual ? ["securityContext.capabilities.add"] : []),
  ];
}

function isUnconfined(context: Container["securityContext"]): boolean {
  return context?.seccompProfile?.type === "Unconfined";
}
