/**
 * Names every field of a pod that containers in an engine do not have.
 *
 * Invariant: no field is silently ignored. A field that the tables below do not have is named too, so a field that
 * Kubernetes adds tomorrow is named until a developer decides about it. Defaults of the API server are not named,
 * because the user did not ask for them.
 */
import type { UnsupportedField } from "../../../cluster/kubelet/container-runtime.ts";
import type { Pod, PodSpec } from "../../../cluster/values/kinds.ts";
import { isMadeOfObjects } from "../volumes.ts";

interface Abilities {
  /** Claims are bound and can be mounted. */
  readonly hasClaims: boolean;
  /** Clients may write to the standard input of containers. */
  readonly hasInput: boolean;
  /** Volumes in memory can have a size. */
  readonly hasMemorySizes: boolean;
  /** Memory and processor time have limits. */
  readonly hasLimits: boolean;
}

/** Why a value is not honoured, maybe with a note. Undefined: it is honoured, or has no effect anyway. */
type Check = (value: any, abilities: Abilities) => string | Omit<UnsupportedField, "path"> | undefined;
/** What is known of a field: how to check it, or the fields in it; of a list, those of each entry. */
type Rule = Check | Rules;
interface Rules {
  readonly [field: string]: Rule;
}

const honoured: Check = () => undefined;
/** The kubelet, the scheduler or the API server handles it, for every runtime. */
const elsewhere = honoured;
const unless =
  (why: string, ...neutral: unknown[]): Check =>
  (value) =>
    neutral.includes(value) || (Array.isArray(value) && value.length === 0) ? undefined : why;
const all = (check: Check, ...fields: string[]): Rules => Object.fromEntries(fields.map((field) => [field, check]));
const input: Check = (value, { hasInput }) => (value === true && !hasInput ? "standard input is empty" : undefined);

const SECCOMP: Rules = {
  type: unless("only the engine's own filter, or none", "RuntimeDefault", "Unconfined"),
  localhostProfile: honoured,
};
const SECURITY: Rules = {
  ...all(honoured, "runAsUser", "runAsGroup", "runAsNonRoot", "readOnlyRootFilesystem", "privileged"),
  ...all(honoured, "allowPrivilegeEscalation", "fsGroup", "supplementalGroups"),
  capabilities: all(honoured, "add", "drop"),
  fsGroupChangePolicy: honoured,
  seccompProfile: SECCOMP,
};
const OBJECT_SOURCE = all(honoured, "name", "secretName", "items", "defaultMode", "optional");
const VOLUME: Rules = {
  name: honoured,
  configMap: OBJECT_SOURCE,
  secret: OBJECT_SOURCE,
  hostPath: all(honoured, "path", "type"),
  persistentVolumeClaim: (_claim, { hasClaims }) => (hasClaims ? undefined : "claims are not bound here"),
  emptyDir: {
    medium: unless("volumes lie on a disk or in memory", "", "Memory"),
    sizeLimit: honoured, // Checked with the medium, below.
  },
  projected: { defaultMode: honoured, sources: { configMap: OBJECT_SOURCE, secret: OBJECT_SOURCE } },
};
const limit: Check = (_amount, { hasLimits }) =>
  hasLimits ? undefined : "this engine is rootless and has no control groups to limit it with";
const podItself = unless("the pod itself is asked", "");
const PROBE: Rules = {
  ...all(elsewhere, "initialDelaySeconds", "periodSeconds", "successThreshold", "failureThreshold"),
  ...all(honoured, "exec", "grpc", "timeoutSeconds", "terminationGracePeriodSeconds"),
  httpGet: { ...all(honoured, "port", "path", "scheme", "httpHeaders"), host: podItself },
  tcpSocket: { port: honoured, host: podItself },
};
const CONTAINER: Rules = {
  ...all(honoured, "name", "image", "imagePullPolicy", "command", "args", "workingDir", "tty"),
  ...all(elsewhere, "env", "envFrom", "lifecycle"),
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  ...all(elsewhere, "resizePolicy", "restartPolicy", "restartPolicyRules", "terminationMessagePolicy"),
  terminationMessagePath: honoured,
  ports: () => ({ why: "ports are not published", note: "the ports that containers declare are not published" }),
  resources: {
    limits: all(limit, "cpu", "memory"),
    requests: { cpu: honoured, ...all(elsewhere, "memory", "ephemeral-storage") },
  },
  securityContext: SECURITY,
  stdin: input,
  stdinOnce: input,
  targetContainerName: () => "containers do not share a PID namespace",
  volumeMounts: {
    ...all(honoured, "name", "mountPath", "readOnly"),
    mountPropagation: unless("mounts are not propagated", "None"),
    recursiveReadOnly: unless("mounts below are not made read-only", "Disabled"),
    subPath: honoured, // Checked with its volume, below.
    subPathExpr: unless("only whole volumes can be mounted, or a subPath", ""),
  },
};
const POD: Rules = {
  ...all(elsewhere, "activeDeadlineSeconds", "affinity", "enableServiceLinks", "nodeName", "nodeSelector"),
  ...all(elsewhere, "preemptionPolicy", "priority", "priorityClassName", "restartPolicy", "schedulerName"),
  ...all(elsewhere, "schedulingGates", "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints"),
  ...all(honoured, "hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostname", "imagePullSecrets"),
  automountServiceAccountToken: unless("there is no service account token", false),
  containers: CONTAINER,
  dnsConfig: all(honoured, "nameservers", "searches", "options"),
  dnsPolicy: unless("names are resolved as the engine does", "ClusterFirst", "Default", "ClusterFirstWithHostNet"),
  initContainers: CONTAINER,
  os: { name: unless("the engine runs Linux", "linux") },
  securityContext: { ...SECURITY, fsGroupChangePolicy: honoured },
  serviceAccount: unless("there are no service accounts", "default", ""),
  serviceAccountName: unless("there are no service accounts", "default", ""),
  setHostnameAsFQDN: unless("the host name has no domain", false),
  shareProcessNamespace: unless("containers do not share a PID namespace", false),
  subdomain: unless("there is no cluster DNS", ""),
  volumes: VOLUME,
};

/** The fields of this pod that do not take effect, in the order of the manifest. */
export function unsupportedByEngine(pod: Pod, abilities: Abilities): UnsupportedField[] {
  const found: UnsupportedField[] = [];
  const check = (path: string, value: any, rule: Rule | undefined): void => {
    if (value === null || value === undefined) return;
    if (typeof rule === "function") {
      const why = rule(value, abilities);
      if (why !== undefined) found.push({ path, ...(typeof why === "string" ? { why } : why) });
    } else if (rule === undefined) found.push({ path, why: "not known to the runtime of containers" });
    else if (Array.isArray(value)) value.forEach((entry, i) => check(`${path}[${i}]`, entry, rule));
    else for (const [field, inner] of Object.entries(value)) check(`${path}.${field}`, inner, rule[field]);
  };
  check("spec", pod.spec, POD);
  found.push(...writableParts(pod.spec));
  (pod.spec.volumes ?? []).forEach(({ emptyDir }, i) => {
    if (emptyDir?.sizeLimit === undefined || (emptyDir.medium === "Memory" && abilities.hasMemorySizes)) return;
    const why = abilities.hasMemorySizes ? "only volumes in memory have a limit" : "volumes of Podman have no limit";
    found.push({ path: `spec.volumes[${i}].emptyDir.sizeLimit`, why });
  });
  return found;
}

/** The `subPath` of volumes to which containers can write. */
function writableParts(spec: PodSpec): UnsupportedField[] {
  const volumes = spec.volumes ?? [];
  const fixed = new Set(volumes.filter(isMadeOfObjects).map(({ name }) => name));
  return (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ volumeMounts = [] }, i) =>
      volumeMounts.flatMap(({ name, subPath }, j) => {
        const why = "of a volume to which containers can write, a link could lead elsewhere";
        return subPath && !fixed.has(name) ? [{ path: `spec.${list}[${i}].volumeMounts[${j}].subPath`, why }] : [];
      }),
    ),
  );
}
