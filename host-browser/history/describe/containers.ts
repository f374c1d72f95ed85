/** Containers of a pod, or of a template, as `kubectl describe` prints them. */
import { describeEnvironment } from "./environment.ts";
import type {
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  Probe,
} from "../../../cluster/values/kinds.ts";
import { type DescribedText, longTime } from "./text.ts";

export interface ContainersOptions {
  readonly label: string;
  readonly containers: readonly Container[];
  readonly statuses?: readonly ContainerStatus[] | undefined;
  /** The indent before the label; not empty in a template. */
  readonly space: string;
  /** The value of a field of the pod; empty in a template. */
  fieldValue(path: string): string;
}

export function describeContainers(
  to: DescribedText,
  { label, containers, statuses = [], space, fieldValue }: ContainersOptions,
): void {
  to.line(0, `${space}${label}:${containers.length === 0 ? " <none>" : ""}`);
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    to.line(1, `${space === "" ? "" : " "}${container.name}:`);
    describeBasics(to, container, status);
    describeWords(to, "Command", container.command);
    describeWords(to, "Args", container.args);
    if (status !== undefined) describeStatus(to, status);
    describeResources(to, container);
    describeProbes(to, container);
    describeEnvironment(to, container.envFrom, container.env, fieldValue);
    describeMounts(to, container);
  }
}

function describeBasics(to: DescribedText, { image = "", ports = [] }: Container, status?: ContainerStatus): void {
  if (status !== undefined) to.line(2, `Container ID:\t${status.containerID ?? ""}`);
  to.line(2, `Image:\t${image}`);
  if (status !== undefined) to.line(2, `Image ID:\t${status.imageID ?? ""}`);
  const plural = ports.length > 1 ? "s" : "";
  const list = (numberOf: (port: ContainerPort) => number): string =>
    ports.map((port) => `${numberOf(port)}/${port.protocol ?? "TCP"}`).join(", ") || "<none>";
  to.line(2, `Port${plural}:\t${list(({ containerPort }) => containerPort)}`);
  to.line(2, `Host Port${plural}:\t${list(({ hostPort = 0 }) => hostPort)}`);
}

function describeWords(to: DescribedText, title: string, words: readonly string[] = []): void {
  if (words.length === 0) return;
  to.line(2, `${title}:`);
  for (const word of words) for (const line of word.split("\n")) to.line(3, line);
}

function describeStatus(
  to: DescribedText,
  { state = {}, lastState = {}, ready = false, restartCount = 0 }: ContainerStatus,
) {
  describeState(to, "State", state);
  if (lastState.terminated !== undefined) describeState(to, "Last State", lastState);
  to.line(2, `Ready:\t${ready ? "True" : "False"}`);
  to.line(2, `Restart Count:\t${restartCount}`);
}

function describeState(to: DescribedText, title: string, { running, terminated, waiting }: ContainerState): void {
  if (running !== undefined) {
    to.line(2, `${title}:\tRunning`);
    to.line(3, `Started:\t${longTime(running.startedAt ?? "")}`);
  } else if (terminated !== undefined) {
    to.line(2, `${title}:\tTerminated`);
    if (terminated.reason) to.line(3, `Reason:\t${terminated.reason}`);
    if (terminated.message) to.line(3, `Message:\t${terminated.message}`);
    to.line(3, `Exit Code:\t${terminated.exitCode ?? 0}`);
    if (terminated.signal) to.line(3, `Signal:\t${terminated.signal}`);
    to.line(3, `Started:\t${longTime(terminated.startedAt ?? ZERO_TIME)}`);
    to.line(3, `Finished:\t${longTime(terminated.finishedAt ?? ZERO_TIME)}`);
  } else {
    to.line(2, `${title}:\tWaiting`);
    if (waiting?.reason) to.line(3, `Reason:\t${waiting.reason}`);
  }
}

/** What Go prints for a time that is not set. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

function describeResources(to: DescribedText, { resources: { limits = {}, requests = {} } = {} }: Container): void {
  for (const [title, amounts] of [
    ["Limits", limits],
    ["Requests", requests],
  ] as const) {
    const names = Object.keys(amounts).toSorted();
    if (names.length > 0) to.line(2, `${title}:`);
    for (const name of names) to.line(3, `${name}:\t${String(amounts[name])}`);
  }
}

function describeProbes(to: DescribedText, { livenessProbe, readinessProbe, startupProbe }: Container): void {
  if (livenessProbe !== undefined) to.line(2, `Liveness:\t${probeText(livenessProbe)}`);
  if (readinessProbe !== undefined) to.line(2, `Readiness:\t${probeText(readinessProbe)}`);
  if (startupProbe !== undefined) to.line(2, `Startup:\t${probeText(startupProbe)}`);
}

function probeText(probe: Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 1, periodSeconds = 10, successThreshold = 1 } = probe;
  const { failureThreshold = 3, exec, grpc, httpGet, tcpSocket } = probe;
  const times = `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s`;
  const rest = `${times} #success=${successThreshold} #failure=${failureThreshold}`;
  if (exec !== undefined) return `exec [${(exec.command ?? []).join(" ")}] ${rest}`;
  if (httpGet !== undefined) {
    const { scheme = "HTTP", host = "", port, path = "" } = httpGet;
    const from = `${scheme.toLowerCase()}://${host}:${String(port)}`;
    return `http-get ${from}${path.startsWith("/") ? "" : "/"}${path} ${rest}`;
  }
  if (tcpSocket !== undefined) return `tcp-socket ${tcpSocket.host ?? ""}:${String(tcpSocket.port)} ${rest}`;
  if (grpc !== undefined) return `grpc <pod>:${grpc.port} ${grpc.service ?? ""} ${rest}`;
  return `unknown ${rest}`;
}

function describeMounts(to: DescribedText, { volumeMounts = [] }: Container): void {
  to.line(2, `Mounts:${volumeMounts.length === 0 ? "\t<none>" : ""}`);
  for (const { mountPath, name, readOnly, subPath } of volumeMounts.toSorted((a, b) =>
    a.mountPath < b.mountPath ? -1 : 1,
  )) {
    const flags = [readOnly === true ? "ro" : "rw", ...(subPath ? [`path=${JSON.stringify(subPath)}`] : [])];
    to.line(3, `${mountPath} from ${name} (${flags.join(",")})`);
  }
}
