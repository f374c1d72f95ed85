/**
 * What an engine has to create: the container that holds a pod's network and volumes, and the pod's own containers.
 * Pure functions of the pod and of the image. Source: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go.
 */
import { normalize } from "node:path/posix";
import type { ContainerRequest } from "../../../cluster/kubelet/container-runtime.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";
import { milliOf } from "../../../cluster/values/quantities.ts";
import { hostnameOf } from "../command.ts";
import type { Image } from "./images.ts";
import { SANDBOX_TYPE, TYPE_LABEL } from "./left-behind.ts";
import { PAUSE_COMMAND } from "./pause-image.ts";
import type { MadeVolume, PodVolume } from "./pod-volumes.ts";

type Fields = Readonly<Record<string, any>>;

const MIN_CPU_SHARES = 2;
const SHARES_OF_CPU = 1024;
const NONE = 0n;

/** A container that cannot be created as its pod wants it; the message goes with CreateContainerConfigError. */
export class ConfigError extends Error {}

export interface SandboxRequest {
  readonly pod: Pod;
  readonly pauseImage: string;
  readonly hasNetwork: boolean;
  readonly volumes: readonly MadeVolume[];
  readonly labels: Readonly<Record<string, string>>;
}

export function sandboxBody({ pod, pauseImage, hasNetwork, volumes, labels }: SandboxRequest): object {
  const { spec } = pod as Fields;
  const { nameservers, searches, options } = spec.dnsConfig ?? {};
  const aliases = (spec.hostAliases ?? []) as { ip: string; hostnames?: string[] }[];
  return {
    Image: pauseImage,
    Entrypoint: [PAUSE_COMMAND],
    ...hostnameIn(pod),
    Labels: { ...labels, ...podLabels(pod), [TYPE_LABEL]: SANDBOX_TYPE },
    HostConfig: {
      NetworkMode: spec.hostNetwork === true ? "host" : hasNetwork ? "bridge" : "none",
      IpcMode: spec.hostIPC === true ? "host" : "shareable",
      Mounts: volumes.map(({ name, fillingPath }) => ({
        Type: "volume",
        Source: name,
        Target: `/${fillingPath}`,
        VolumeOptions: { NoCopy: true },
      })),
      LogConfig: { Type: "none" },
      ...(nameservers && { Dns: nameservers }),
      ...(searches && { DnsSearch: searches }),
      ...(options && {
        DnsOptions: options.map(({ name, value }: any) => (value === undefined ? name : `${name}:${value}`)),
      }),
      ...(aliases.length > 0 && {
        ExtraHosts: aliases.flatMap(({ ip, hostnames = [] }) => hostnames.map((name) => `${name}:${ip}`)),
      }),
    },
  };
}

export interface ContainerBodyRequest extends Pick<ContainerRequest, "pod" | "container" | "env"> {
  readonly image: Image;
  readonly sandboxId: string;
  /** A container in the network of another one shares its host name, too. Docker then refuses a separate one. */
  readonly sharesHostname: boolean;
  readonly volumes: ReadonlyMap<string, PodVolume>;
  /** Where the engine has the volumes that it made, by their names. */
  readonly folders: ReadonlyMap<string, string>;
  /** The file of this machine that is the container's termination message. */
  readonly messageFile: string;
  readonly hasInput: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** @throws ConfigError for what cannot be done with this image */
export function containerBody(request: ContainerBodyRequest): object {
  const { pod, container, env, image, sandboxId, sharesHostname, hasInput, labels } = request;
  const security = securityOf(pod, container);
  return {
    Image: image.id,
    Entrypoint: container.command ?? image.entrypoint,
    Cmd: container.args ?? (container.command === undefined ? image.command : []),
    Env: env.map(({ name, value }) => `${name}=${value}`),
    ...(!sharesHostname && hostnameIn(pod)),
    ...(container.workingDir && { WorkingDir: container.workingDir }),
    ...userOf(pod, container, image, security),
    Tty: container.tty === true,
    OpenStdin: hasInput,
    StdinOnce: hasInput && container.stdinOnce === true,
    Labels: { ...labels, ...podLabels(pod), "io.kubernetes.container.name": container.name },
    HostConfig: {
      NetworkMode: `container:${sandboxId}`,
      IpcMode: `container:${sandboxId}`,
      ...(pod.spec.hostPID === true && { PidMode: "host" }),
      Mounts: mountsOf(request),
      ReadonlyRootfs: security.readOnlyRootFilesystem === true,
      ...(security.privileged === true && { Privileged: true }),
      ...(security.capabilities?.add && { CapAdd: security.capabilities.add }),
      ...(security.capabilities?.drop && { CapDrop: security.capabilities.drop }),
      SecurityOpt: [
        ...(security.allowPrivilegeEscalation === false ? ["no-new-privileges"] : []),
        ...(security.seccompProfile?.type === "Unconfined" ? ["seccomp=unconfined"] : []),
      ],
      GroupAdd: [pod.spec.securityContext?.supplementalGroups ?? [], pod.spec.securityContext?.fsGroup ?? []]
        .flat()
        .map(String),
      LogConfig: { Type: "none" },
      ...limitsOf(container),
    },
  };
}

/** A container on the network of the machine gets the machine's name. */
function hostnameIn(pod: Pod): { readonly Hostname?: string } {
  const named = pod as { metadata: { name: string }; spec?: { hostname?: string } };
  return pod.spec.hostNetwork === true ? {} : { Hostname: hostnameOf(named) };
}

function podLabels({ metadata }: TypedObject): Record<string, string> {
  return {
    "io.kubernetes.pod.name": metadata.name,
    "io.kubernetes.pod.namespace": metadata.namespace!,
    "io.kubernetes.pod.uid": metadata.uid,
  };
}

/** The container's own settings override those of its pod. */
function securityOf(pod: Pod, container: Fields): Fields {
  return { ...pod.spec.securityContext, ...container.securityContext };
}

function userOf(pod: Pod, { name }: Fields, image: Image, security: Fields): { readonly User?: string } {
  const [imageUser = "", imageGroup] = image.user.split(":");
  const user = security.runAsUser === undefined ? imageUser : String(security.runAsUser);
  const group = security.runAsGroup === undefined ? undefined : String(security.runAsGroup);
  if (security.runAsNonRoot === true) {
    const where = `(pod: ${JSON.stringify(`${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`)}, container: ${name})`;
    if (security.runAsUser === 0) throw new ConfigError(`container's runAsUser breaks non-root policy ${where}`);
    if (user === "" || user === "0")
      throw new ConfigError(`container has runAsNonRoot and image will run as root ${where}`);
    if (!/^\d+$/.test(user))
      throw new ConfigError(
        `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root ${where}`,
      );
  }
  if (security.runAsUser === undefined && group === undefined) return {};
  const wholeGroup = group ?? (security.runAsUser === undefined ? imageGroup : undefined);
  return { User: `${user === "" ? "0" : user}${wholeGroup === undefined ? "" : `:${wholeGroup}`}` };
}

function mountsOf({ container, volumes, folders, messageFile }: ContainerBodyRequest): object[] {
  const mounts = (container.volumeMounts ?? []) as Fields[];
  const ofVolumes = mounts.flatMap((mount) => {
    const volume = volumes.get(mount.name);
    if (volume === undefined) return []; // Another kind of volume: `unsupported` has named it.
    const ReadOnly = volume.readOnly || mount.readOnly === true;
    if (mount.subPath || mount.subPathExpr) {
      const Source = `${folders.get(volume.source)}/${partOf(volume, mount)}`;
      return [{ Type: "bind", Source, Target: mount.mountPath, ReadOnly }];
    }
    const options = volume.type === "volume" ? { VolumeOptions: { NoCopy: true } } : {};
    return [{ Type: volume.type, Source: volume.source, Target: mount.mountPath, ReadOnly, ...options }];
  });
  const Target = container.terminationMessagePath || "/dev/termination-log";
  return [...ofVolumes, { Type: "bind", Source: messageFile, Target, ReadOnly: false }];
}

/** The path in the volume that is mounted alone. @throws ConfigError where that cannot be */
function partOf({ parts }: PodVolume, { name, subPath, subPathExpr }: Fields): string {
  if (parts === undefined || subPathExpr)
    throw new ConfigError(`volumeMount ${name}: subPath is not supported; mount the whole volume`);
  const path = normalize(subPath).replace(/\/$/, "");
  if (!parts.has(path)) throw new ConfigError(`volumeMount ${name}: the volume has no ${JSON.stringify(subPath)}`);
  return path;
}

function limitsOf({ resources = {} }: Fields): object {
  const memory = milli(resources.limits?.memory) / 1000n;
  const cpu = milli(resources.limits?.cpu);
  const requested = milli(resources.requests?.cpu ?? resources.limits?.cpu);
  return {
    // The same amount with swap as without: no swap.
    ...(memory > NONE && { Memory: Number(memory), MemorySwap: Number(memory) }),
    ...(cpu > NONE && { NanoCpus: Number(cpu) * 1_000_000 }),
    CpuShares: Math.max(Math.floor((Number(requested) * SHARES_OF_CPU) / 1000), MIN_CPU_SHARES),
  };
}

function milli(quantity: unknown): bigint {
  return quantity === undefined ? NONE : milliOf(String(quantity));
}
