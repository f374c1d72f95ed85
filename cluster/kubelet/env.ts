/**
 * The environment of a container, resolved from its manifest: envFrom, value with $(VAR) expansion, fieldRef, and keys
 * of ConfigMaps and Secrets. A pure function: the caller fetches the objects that it needs before (`envSourcesNeeded`).
 *
 * Invariant: a variable that cannot be resolved is an error, never an empty string, unless the manifest says
 * `optional`. Leaves out service links. resourceFieldRef is refused with a sentence that says so. Source:
 * makeEnvironmentVariables in pkg/kubelet/kubelet_pods.go; expansion in third_party/forked/golang/expansion.
 */
import { base64Decode } from "../values/text.ts";
import type {
  ConfigMap,
  ConfigMapEnvSource,
  ConfigMapKeySelector,
  Container,
  EnvVar as EnvVarOfPod,
  Pod,
  Secret,
  SecretEnvSource,
  SecretKeySelector,
} from "../values/kinds.ts";

export interface EnvVar {
  readonly name: string;
  readonly value: string;
}

export type EnvSourceKind = "ConfigMap" | "Secret";

/** A ConfigMap or Secret in the pod's namespace. */
export interface EnvSource {
  readonly kind: EnvSourceKind;
  readonly name: string;
}

/** What of a container is read here. */
export type WithEnv = Partial<Pick<Container, "env" | "envFrom">>;

export interface EnvContext {
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  /** The object, or undefined if it does not exist. */
  source(source: EnvSource): ConfigMap | Secret | undefined;
}

/** A variable that cannot be resolved; the message goes to the pod as CreateContainerConfigError. */
export class EnvError extends Error {
  /** An object or a key does not exist, but may be created later. */
  readonly isAbsence: boolean;

  constructor(message: string, isAbsence = false) {
    super(message);
    this.isAbsence = isAbsence;
  }
}

/** The ConfigMaps and Secrets that a container's environment mentions, each once. */
export function envSourcesNeeded(container: WithEnv): EnvSource[] {
  const needed = new Map<string, EnvSource>();
  const add = (kind: EnvSourceKind, reference: { name?: string } | undefined): void => {
    if (reference !== undefined) needed.set(`${kind}/${reference.name}`, { kind, name: reference.name! });
  };
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    add("ConfigMap", configMapRef);
    add("Secret", secretRef);
  }
  for (const { valueFrom } of container.env ?? []) {
    add("ConfigMap", valueFrom?.configMapKeyRef);
    add("Secret", valueFrom?.secretKeyRef);
  }
  return [...needed.values()];
}

/**
 * The variables in the order of the manifest, envFrom first; a later name wins.
 * @throws EnvError naming the variable and what it asked for.
 */
export function resolveEnv(container: WithEnv, context: EnvContext): EnvVar[] {
  if (container.env === undefined && container.envFrom === undefined) return [];
  const resolved = new Map<string, string>();
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef !== undefined) addAllKeys(resolved, prefix, "ConfigMap", configMapRef, context);
    if (secretRef !== undefined) addAllKeys(resolved, prefix, "Secret", secretRef, context);
  }
  for (const variable of container.env ?? []) {
    const value =
      variable.valueFrom === undefined ? expand(variable.value ?? "", resolved) : valueFrom(variable, context);
    if (value === undefined) continue;
    // Delete first: a name that is set again moves to its last position.
    resolved.delete(variable.name);
    resolved.set(variable.name, value);
  }
  return Array.from(resolved, ([name, value]) => ({ name, value }));
}

/**
 * Replaces $(NAME) by the value of NAME. `$$` is a literal `$`, and a reference to an unknown name stays as it is.
 * For command, args and the values of variables alike.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  if (!text.includes("$")) return text;
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    return variables.get(name) ?? match;
  });
}

/** The API server requires a name. */
type SourceReference = ConfigMapEnvSource | SecretEnvSource;
type KeyReference = ConfigMapKeySelector | SecretKeySelector;

function addAllKeys(
  resolved: Map<string, string>,
  prefix: string,
  kind: EnvSourceKind,
  reference: SourceReference,
  context: EnvContext,
): void {
  const data = dataOf(kind, reference, context);
  for (const key of Object.keys(data ?? {}).sort()) resolved.set(prefix + key, decoded(kind, data![key]!));
}

/** The value of a variable with valueFrom; undefined if it is optional and absent. */
function valueFrom(variable: EnvVarOfPod, context: EnvContext): string | undefined {
  const { fieldRef, configMapKeyRef, secretKeyRef } = variable.valueFrom!;
  if (fieldRef !== undefined) return fieldValue(fieldRef.fieldPath, context);
  if (configMapKeyRef !== undefined) return keyValue("ConfigMap", configMapKeyRef, context);
  if (secretKeyRef !== undefined) return keyValue("Secret", secretKeyRef, context);
  throw new EnvError(
    `env ${variable.name}: valueFrom has ${Object.keys(variable.valueFrom!).join(", ")}; this kubelet supports fieldRef, configMapKeyRef and secretKeyRef`,
  );
}

function keyValue(kind: EnvSourceKind, reference: KeyReference, context: EnvContext): string | undefined {
  const data = dataOf(kind, reference, context);
  const value = data?.[reference.key];
  if (value !== undefined) return decoded(kind, value);
  if (reference.optional === true) return undefined;
  throw new EnvError(
    `couldn't find key ${reference.key} in ${kind} ${context.pod.metadata.namespace}/${reference.name}`,
    true,
  );
}

/** `data` of the object; undefined if it does not exist and is optional. */
function dataOf(
  kind: EnvSourceKind,
  { name, optional }: SourceReference,
  context: EnvContext,
): Record<string, string> | undefined {
  const object = context.source({ kind, name: name! });
  if (object !== undefined) return object.data ?? {};
  if (optional === true) return undefined;
  throw new EnvError(`${kind.toLowerCase()} ${JSON.stringify(name)} not found`, true);
}

function decoded(kind: EnvSourceKind, value: string): string {
  return kind === "Secret" ? base64Decode(value) : value;
}

const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** The value of a downward API field of a pod. @throws EnvError for an unsupported field */
export function fieldValue(fieldPath: string, { pod, podIP, hostIP }: Omit<EnvContext, "source">): string {
  const subscript = SUBSCRIPT.exec(fieldPath);
  if (subscript !== null) return pod.metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2]!] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace ?? "";
    case "metadata.uid":
      return pod.metadata.uid;
    case "spec.nodeName":
      return pod.spec.nodeName!;
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "default";
    case "status.podIP":
    case "status.podIPs":
      return podIP;
    case "status.hostIP":
    case "status.hostIPs":
      return hostIP;
    default:
      throw new EnvError(`field label not supported: ${fieldPath}`);
  }
}
