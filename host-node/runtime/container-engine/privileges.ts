/**
 * What of a pod would give its containers power over the machine of the engine. It is refused unless the user allows
 * it, before anything runs, and again when a pod is made.
 */
import type { UnsupportedField } from "../../../cluster/kubelet/container-runtime.ts";
import type { KubeObject } from "../../../cluster/types.ts";
import { HOST_PATH_REFUSAL, hostPathProblem } from "../host-paths.ts";

export interface Allowances {
  readonly allowHostPath: boolean;
  readonly allowPrivileged: boolean;
}

/** What engines give every container. */
const USUAL_CAPABILITIES = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];
const REFUSAL = "it would give the container power over the machine of the engine; --allow-privileged allows that";

/** The fields of a pod because of which it can never start here. */
export function refusedFields(pod: KubeObject, { allowHostPath, allowPrivileged }: Allowances): UnsupportedField[] {
  const { initContainers = [], containers = [], volumes = [], securityContext = {}, ...spec } = pod["spec"];
  const found: UnsupportedField[] = [];
  const refuse = (path: string, isRefused: boolean): void => {
    if (isRefused && !allowPrivileged) found.push({ path, why: REFUSAL });
  };
  for (const field of ["hostNetwork", "hostPID", "hostIPC"]) refuse(`spec.${field}`, spec[field] === true);
  const unconfined = (context: any): boolean => context?.seccompProfile?.type === "Unconfined";
  refuse("spec.securityContext.seccompProfile.type", unconfined(securityContext));
  for (const [list, items] of Object.entries({ initContainers, containers } as Record<string, any[]>))
    items.forEach(({ securityContext: context }, i) => {
      const path = `spec.${list}[${i}].securityContext`;
      refuse(`${path}.privileged`, context?.privileged === true);
      refuse(`${path}.seccompProfile.type`, unconfined(context));
      const added: readonly string[] = context?.capabilities?.add ?? [];
      refuse(
        `${path}.capabilities.add`,
        added.some((name) => !USUAL_CAPABILITIES.includes(name.replace(/^CAP_/, ""))),
      );
    });
  (volumes as Record<string, any>[]).forEach(({ hostPath }, i) => {
    if (hostPath === undefined) return;
    const path = `spec.volumes[${i}].hostPath`;
    const problem = hostPathProblem(hostPath, undefined);
    if (!allowHostPath) found.push({ path, why: HOST_PATH_REFUSAL });
    else if (problem !== undefined && problem.isAbsence !== true)
      found.push({ path: `${path}.${problem.field}`, why: problem.why });
  });
  return found;
}
