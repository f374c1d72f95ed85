/**
 * Names every field of a pod that local processes do not honour.
 *
 * Invariant: no field is silently ignored. Every field is checked, and a field that the tables below do not have is
 * reported too. So a field that Kubernetes adds tomorrow is named until a developer decides about it. Default values of
 * the API server are not reported, because the user did not ask for them. Leaves out metadata and status, which ask
 * nothing of a runtime.
 */
import type { UnsupportedField } from "../../cluster/kubelet/container-runtime.ts";
import type {
  Container,
  DownwardAPIVolumeFile,
  Pod,
  PodSpec,
  Probe,
  ResourceRequirements,
  Volume,
  VolumeProjection,
} from "../../cluster/values/kinds.ts";
import { canCreateAt } from "./mounts.ts";
import { isWithin, type VisibleFiles } from "./visible-files.ts";
import { isMadeOfObjects } from "./volumes.ts";

export interface Capabilities {
  /**
   * The files that containers see inside bubblewrap, where they have volumes and their own host name. Undefined: no
   * isolation.
   */
  readonly visible: VisibleFiles | undefined;
  /** Containers reach the network of this machine. */
  readonly network: boolean;
  /** Clients may write to the standard input of containers. */
  readonly hasInput: boolean;
  /** Containers can have a terminal. */
  readonly hasTerminals: boolean;
  /** Claims are bound and can be mounted. */
  readonly hasClaims: boolean;
  /** The runtime gets the names of headless Services. */
  readonly hasServiceNames: boolean;
  /** Why processor time cannot be limited; undefined: it can. */
  cpuLimitProblem(): string | undefined;
}

/** Why a field with this value is not honoured, maybe with a note. Undefined: honoured, or without effect. */
type Rule = (value: any, capabilities: Capabilities) => string | Omit<UnsupportedField, "path"> | undefined;

const honoured: Rule = () => undefined;
/**
 * Fields that the kubelet, the scheduler or the API server handles, for every runtime. The kubelet itself names those
 * that it does not honour.
 */
const elsewhere = honoured;
const never =
  (why: string): Rule =>
  () =>
    why;
/** Honoured in no pod, which is no fault of the pod. @param note the sentence of a run about all its pods */
const noted =
  (why: string, note: string): Rule =>
  () => ({ why, note });
/** Not honoured, unless the value has no effect anyway. */
const unless =
  (neutral: (value: any) => boolean, why: string): Rule =>
  (value) =>
    neutral(value) ? undefined : why;
const isEmpty = (value: any): boolean => Object.keys(value).length === 0;
const isOneOf =
  (...values: unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

const POD_RULES: Readonly<Record<string, Rule>> = {
  activeDeadlineSeconds: elsewhere,
  affinity: elsewhere,
  automountServiceAccountToken: unless(isOneOf(false), "there is no service account token"),
  dnsPolicy: unless(isOneOf("ClusterFirst", "Default"), "names are resolved as on this machine"),
  enableServiceLinks: elsewhere,
  hostAliases: (_value, { visible }) => (visible === undefined ? "host names need bubblewrap" : undefined),
  hostIPC: unless(isOneOf(false), "the IPC namespace cannot be chosen"),
  hostNetwork: (value, { network, visible }) =>
    value === true && visible !== undefined && !network ? "there is no network; ask for it with --network" : undefined,
  hostPID: unless(isOneOf(false), "the PID namespace cannot be chosen"),
  hostname: elsewhere,
  nodeName: elsewhere,
  nodeSelector: elsewhere,
  os: unless((os) => os.name === process.platform, `processes run on ${process.platform}`),
  preemptionPolicy: elsewhere,
  priority: elsewhere,
  priorityClassName: elsewhere,
  restartPolicy: elsewhere,
  schedulerName: elsewhere,
  schedulingGates: elsewhere,
  securityContext: unless(isEmpty, "processes run as the user who runs this"),
  serviceAccount: unless(isOneOf("default", ""), "there are no service accounts"),
  serviceAccountName: unless(isOneOf("default", ""), "there are no service accounts"),
  setHostnameAsFQDN: unless(isOneOf(false), "the host name has no domain"),
  shareProcessNamespace: unless(isOneOf(false), "containers do not share a PID namespace"),
  subdomain: (_value, { network, visible, hasServiceNames }) => {
    if (visible === undefined) return "names of pods need bubblewrap";
    if (!network) return "there is no network; ask for it with --network";
    return hasServiceNames ? undefined : "there is no cluster DNS; stint serve knows the names of headless Services";
  },
  terminationGracePeriodSeconds: honoured,
  tolerations: elsewhere,
  topologySpreadConstraints: elsewhere,
};

const CONTAINER_RULES: Readonly<Record<string, Rule>> = {
  args: honoured,
  command: honoured,
  env: elsewhere,
  envFrom: elsewhere,
  image: noted(
    "the command runs on this machine, not in an image",
    "commands run on this machine, not in the images of their containers; --runtime docker or podman runs images",
  ),
  imagePullPolicy: elsewhere,
  lifecycle: elsewhere,
  name: honoured,
  ports: noted("ports are not mapped", "the ports that containers declare are not mapped"),
  resizePolicy: elsewhere,
  restartPolicy: elsewhere,
  restartPolicyRules: elsewhere,
  securityContext: unless(isEmpty, "processes run as the user who runs this"),
  stdin: (value, { hasInput }) => (value === true && !hasInput ? "standard input is empty" : undefined),
  stdinOnce: (value, { hasInput }) => (value === true && !hasInput ? "standard input is empty" : undefined),
  targetContainerName: never("containers do not share a PID namespace"),
  terminationMessagePath: (value, { visible }) =>
    value === "/dev/termination-log" || (visible !== undefined && canCreateAt(value, [], visible))
      ? undefined
      : "no file can be made at this path",
  terminationMessagePolicy: elsewhere,
  tty: (value, { hasTerminals }) => (value === true && !hasTerminals ? "there is no terminal" : undefined),
  workingDir: honoured,
};

/** The scheduler handles requests. */
const RESOURCES_RULES: Readonly<Record<string, Rule>> = {
  claims: unless(isEmpty, "containers get no devices"),
  requests: elsewhere,
};

/** No limit holds for resources that are missing here. */
const LIMIT_RULES: Readonly<Record<string, Rule>> = {
  cpu: (_value, { cpuLimitProblem }) => {
    const problem = cpuLimitProblem();
    return problem && `processor time has no limit: ${problem}`;
  },
  memory: unless(() => process.platform === "linux", "what processes use is known on Linux alone"),
};

const VOLUME_MOUNT_RULES: Readonly<Record<string, Rule>> = {
  mountPath: honoured,
  mountPropagation: unless(isOneOf("None"), "mounts are not propagated"),
  name: honoured,
  readOnly: honoured,
  recursiveReadOnly: unless(isOneOf("Disabled"), "mounts below are not made read-only"),
  // If no container can write to a volume, its parts can be mounted too.
  subPath: unless(isOneOf(""), "only whole volumes can be mounted"),
  subPathExpr: unless(isOneOf(""), "only whole volumes can be mounted"),
};

const EMPTY_DIR_RULES: Readonly<Record<string, Rule>> = {
  medium: unless(isOneOf(""), "volumes lie in the temporary directory of this machine"),
  sizeLimit: honoured,
};

const OBJECT_RULES: Readonly<Record<string, Rule>> = {
  name: honoured,
  secretName: honoured,
  items: honoured,
  defaultMode: honoured,
  optional: honoured,
};

/** Volumes that can be mounted, and their fields. */
const VOLUME_RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  configMap: OBJECT_RULES,
  downwardAPI: { defaultMode: honoured },
  emptyDir: EMPTY_DIR_RULES,
  // hostPath volumes are refused unless they are allowed; other code checks that.
  hostPath: { path: honoured, type: honoured },
  persistentVolumeClaim: { claimName: honoured, readOnly: honoured },
  projected: { defaultMode: honoured },
  secret: OBJECT_RULES,
};
/** The supported sources of a projected volume. */
const PROJECTED_SOURCES = ["configMap", "secret", "downwardAPI"];

/** The fields of this pod that do not take effect, in the order of the manifest. */
export function unsupportedFields(pod: Pod, capabilities: Capabilities): UnsupportedField[] {
  const spec = pod.spec;
  return new PodCheck(spec, capabilities).unsupported();
}

/** The walkers of fields that have nested fields, by name. */
type Nested = Readonly<Record<string, (path: string, value: any) => void>>;

function each(visit: (path: string, item: any) => void): (path: string, items: readonly unknown[]) => void {
  return (path, items) => items.forEach((item, i) => visit(`${path}[${i}]`, item));
}

/** Walks through the spec of one pod, once. */
class PodCheck {
  readonly #spec: PodSpec;
  readonly #capabilities: Capabilities;
  /** The kinds of volumes that can be mounted. */
  readonly #kinds: readonly string[];
  /** Names of the pod's volumes that can be mounted. */
  readonly #mountable: ReadonlySet<string>;
  /** Names of the volumes whose files are made from objects. */
  readonly #madeOfObjects: ReadonlySet<string>;
  readonly #found: UnsupportedField[] = [];

  constructor(spec: PodSpec, capabilities: Capabilities) {
    this.#spec = spec;
    this.#capabilities = capabilities;
    const kinds = Object.keys(VOLUME_RULES).filter(
      (kind) => kind !== "persistentVolumeClaim" || capabilities.hasClaims,
    );
    const volumes = spec.volumes ?? [];
    const namesOf = (some: readonly { name: string }[]): Set<string> => new Set(some.map(({ name }) => name));
    this.#kinds = kinds;
    this.#mountable = namesOf(volumes.filter((volume) => Object.keys(volume).some((source) => kinds.includes(source))));
    this.#madeOfObjects = namesOf(volumes.filter(isMadeOfObjects));
  }

  unsupported(): UnsupportedField[] {
    const containers = each((path, value) => this.#container(path, value));
    const volumes = each((path, value) => this.#volume(path, value));
    this.#walk("spec", this.#spec, POD_RULES, { containers, initContainers: containers, volumes });
    return this.#found;
  }

  /** `nested` fields are walked by functions that know them. */
  #walk(path: string, object: object, rules: Readonly<Record<string, Rule>>, nested: Nested = {}): void {
    for (const [field, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue;
      const fieldPath = `${path}.${field}`;
      if (nested[field] !== undefined) nested[field](fieldPath, value);
      else this.#check(fieldPath, value, rules[field] ?? never("not known to the process runtime"));
    }
  }

  #check(path: string, value: unknown, rule: Rule): void {
    const why = rule(value, this.#capabilities);
    if (why !== undefined) this.#found.push({ path, ...(typeof why === "string" ? { why } : why) });
  }

  #volume(path: string, { name: _name, ...sources }: Volume): void {
    for (const [source, settings] of Object.entries(sources)) {
      const rules = VOLUME_RULES[source];
      const sourcePath = `${path}.${source}`;
      if (rules === undefined || !this.#kinds.includes(source))
        this.#found.push({ path: sourcePath, why: `only ${this.#kinds.join(", ")} volumes can be mounted` });
      else if (this.#capabilities.visible === undefined)
        this.#found.push({ path: sourcePath, why: "mounting volumes needs bubblewrap" });
      else this.#volumeSource(sourcePath, source, settings ?? {}, rules);
    }
  }

  #volumeSource(path: string, source: string, settings: object, rules: Readonly<Record<string, Rule>>): void {
    this.#walk(path, settings, rules, {
      sources: each((itemPath, parts) => this.#projection(itemPath, parts)),
      ...(source === "downwardAPI" ? { items: this.#fieldItems } : {}),
    });
  }

  readonly #fieldItems = each((path, { resourceFieldRef }: DownwardAPIVolumeFile) => {
    if (resourceFieldRef)
      this.#found.push({ path: `${path}.resourceFieldRef`, why: "only fields of the pod become files" });
  });

  #projection(path: string, parts: VolumeProjection): void {
    for (const [kind, settings] of Object.entries(parts)) {
      if (kind === "downwardAPI") this.#fieldItems(`${path}.${kind}.items`, settings?.items ?? []);
      else if (PROJECTED_SOURCES.includes(kind)) this.#walk(`${path}.${kind}`, settings ?? {}, OBJECT_RULES);
      else {
        const why = `only ${PROJECTED_SOURCES.join(", ")} sources are mounted`;
        this.#found.push({ path: `${path}.${kind}`, why });
      }
    }
  }

  #container(path: string, value: Container): void {
    const probe = (probePath: string, asked: Probe): void => this.#probe(probePath, asked);
    this.#walk(path, value, CONTAINER_RULES, {
      volumeMounts: each((mountPath, mount) => this.#volumeMount(mountPath, mount)),
      resources: (resourcesPath, resources) => this.#resources(resourcesPath, resources),
      livenessProbe: probe,
      readinessProbe: probe,
      startupProbe: probe,
    });
    const messagePath: string = value.terminationMessagePath ?? "";
    const isInVolume = (value.volumeMounts ?? []).some(({ mountPath }) => isWithin(messagePath, mountPath));
    if (this.#capabilities.visible !== undefined && isInVolume)
      this.#found.push({ path: `${path}.terminationMessagePath`, why: "no file can be made for it inside a volume" });
  }

  #volumeMount(path: string, mount: { name: string }): void {
    // If the volume is of another kind, or cannot be mounted at all, the volume itself was already reported.
    if (this.#capabilities.visible === undefined || !this.#mountable.has(mount.name)) return;
    const isMade = this.#madeOfObjects.has(mount.name);
    this.#walk(path, mount, isMade ? { ...VOLUME_MOUNT_RULES, subPath: honoured } : VOLUME_MOUNT_RULES);
  }

  #probe(path: string, { httpGet, tcpSocket }: Probe): void {
    for (const [action, settings] of Object.entries({ httpGet, tcpSocket }))
      if (settings?.host) this.#found.push({ path: `${path}.${action}.host`, why: "the pod itself is asked" });
  }

  #resources(path: string, value: ResourceRequirements): void {
    this.#walk(path, value, RESOURCES_RULES, { limits: (limitsPath, amounts) => this.#limits(limitsPath, amounts) });
  }

  #limits(path: string, amounts: Record<string, unknown>): void {
    for (const [resource, amount] of Object.entries(amounts))
      this.#check(`${path}.${resource}`, amount, LIMIT_RULES[resource] ?? never("it has no limit"));
  }
}
