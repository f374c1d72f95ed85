/**
 * The logs of a node's containers, current and previous attempt, and how they are read (docs/spec/api.md 5.9).
 *
 * Invariant: the logs of a pod can be read until its object is gone. Only if more pods than the named limit finish
 * after it, its logs are dropped, those of the pod that finished first before others. Together the logs hold no more
 * than MAX_NODE_LOG_BYTES, plus MIN_LOG_BYTES for each container. A reader who asks for dropped lines gets a note about
 * them. Leaves out access rules and query parameters: the API server handles these.
 */
import type { Clock } from "../../bindings/js/host.ts";
import { byteLength } from "../values/text.ts";
import type { LogOptions, LogRefusal, LogSink, LogStream } from "../apiserver/contract/kubelet-api.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import { ContainerLog, MAX_LOG_BYTES, renderLine } from "./container-log.ts";
import type { LogLine, OutputStream } from "./container-log.ts";
import { utf8Head } from "./utf8.ts";
import type { Pod } from "../values/kinds.ts";

/** Finished pods whose logs are kept. */
export const MAX_FINISHED_PODS_WITH_LOGS = 20_000;

/**
 * Limit for all logs of a node. Beyond it the logs of finished pods are trimmed, those that finished first before
 * others, and then the growing log.
 */
export const MAX_NODE_LOG_BYTES = 256 * 1024 * 1024;
/** A log trimmed because of this limit keeps this much. */
export const MIN_LOG_BYTES = 256 * 1024;
const MIB = 1024 * 1024;

/** The log of every container that has ended without output. */
const EMPTY_LOG = new ContainerLog(() => {});
EMPTY_LOG.end(0);

interface ContainerLogs {
  readonly container: string;
  current: ContainerLog;
  previous: ContainerLog | undefined;
}

export class LogStore {
  readonly #clock: Clock;
  /** The few containers of a pod are a list, because a map of one entry takes a quarter of a kilobyte. */
  readonly #byPodUid = new Map<string, ContainerLogs[]>();
  /** Finished pods, in the order in which they finished. */
  readonly #finished = new BoundedMap<string, true>(MAX_FINISHED_PODS_WITH_LOGS);
  /** The finished pods whose logs have not been trimmed, in the same order. */
  readonly #uncut = new Set<string>();
  /** The logs of the last finished pod without output. Others with the same containers share them. */
  #silent: ContainerLogs[] = [];
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens the log of a new attempt. The current log becomes the previous one. */
  open(podUid: string, container: string, onLine: (stream: OutputStream, line: LogLine) => void): ContainerLog {
    let pod = this.#byPodUid.get(podUid);
    // Its list is shared.
    if (pod?.[0]?.current === EMPTY_LOG) this.#byPodUid.set(podUid, (pod = pod.map((logs) => ({ ...logs }))));
    const isKept = (): boolean => this.#byPodUid.get(podUid) === pod;
    const log: ContainerLog = new ContainerLog(onLine, (bytes) => {
      if (isKept()) this.#changed(log, bytes);
    });
    const known = pod && logsOf(pod, container);
    if (known !== undefined) {
      this.#bytes -= known.previous?.bytes ?? 0;
      known.previous = known.current;
      known.current = log;
    } else {
      const logs = { container, current: log, previous: undefined };
      if (pod === undefined) this.#byPodUid.set(podUid, (pod = [logs]));
      else pod.push(logs);
    }
    return log;
  }

  podFinished(podUid: string): void {
    const pod = this.#byPodUid.get(podUid);
    if (pod === undefined) return;
    if (pod.every(({ current, previous }) => current.isSilent && previous === undefined)) this.#share(podUid, pod);
    else this.#uncut.add(podUid);
    const forgotten = this.#finished.put(podUid, true);
    if (forgotten !== undefined) this.drop(forgotten);
  }

  #share(podUid: string, pod: readonly ContainerLogs[]): void {
    const silent = this.#silent;
    if (pod.length !== silent.length || pod.some(({ container }, at) => container !== silent[at]!.container))
      this.#silent = pod.map(({ container }) => ({ container, current: EMPTY_LOG, previous: undefined }));
    this.#byPodUid.set(podUid, this.#silent);
  }

  /** The object is gone. */
  drop(podUid: string): void {
    this.#finished.delete(podUid);
    this.#uncut.delete(podUid);
    for (const log of this.#logsOf(podUid)) this.#bytes -= log.bytes;
    this.#byPodUid.delete(podUid);
  }

  /** The log of an attempt; undefined if there is none. */
  find(podUid: string, container: string, previous: boolean): ContainerLog | undefined {
    const logs = logsOf(this.#byPodUid.get(podUid) ?? [], container);
    return previous ? logs?.previous : logs?.current;
  }

  /** A reader of one log under the options of `kubectl logs`. @param ifEmpty the line for a log without output */
  read(log: ContainerLog, options: LogOptions, ifEmpty?: LogLine): LogStream {
    const subscribe = (sink: LogSink): (() => void) => this.#deliver(log, options, sink, ifEmpty);
    const warning = this.#warningOf(log, options);
    return warning === undefined ? { subscribe } : { subscribe, warning };
  }

  #changed(log: ContainerLog, bytes: number): void {
    this.#bytes += bytes;
    while (this.#bytes > MAX_NODE_LOG_BYTES) {
      const [oldest] = this.#uncut;
      if (oldest === undefined) break;
      this.#uncut.delete(oldest);
      for (const finished of this.#logsOf(oldest)) this.#bytes -= finished.trim(MIN_LOG_BYTES);
    }
    if (this.#bytes > MAX_NODE_LOG_BYTES)
      this.#bytes -= log.trim(Math.max(MIN_LOG_BYTES, log.bytes - (this.#bytes - MAX_NODE_LOG_BYTES)));
  }

  *#logsOf(podUid: string): Generator<ContainerLog> {
    for (const { current, previous } of this.#byPodUid.get(podUid) ?? []) {
      yield current;
      if (previous !== undefined) yield previous;
    }
  }

  #warningOf({ gone, lines }: ContainerLog, options: LogOptions): string | undefined {
    if (gone === undefined || (options.tailLines ?? Infinity) <= lines || this.#sinceMs(options) > gone.untilMs)
      return undefined;
    return `the first ${gone.lines} lines of this log are gone: a log keeps its last ${MAX_LOG_BYTES / MIB} MiB, or less where those of all pods would be more than ${MAX_NODE_LOG_BYTES / MIB} MiB`;
  }

  #sinceMs({ sinceTime, sinceSeconds }: LogOptions): number {
    return sinceTime ?? (sinceSeconds === undefined ? -Infinity : this.#clock.now() - sinceSeconds * 1000);
  }

  #deliver(log: ContainerLog, options: LogOptions, sink: LogSink, ifEmpty: LogLine | undefined): () => void {
    const sinceMs = this.#sinceMs(options);
    let remainingBytes = options.limitBytes ?? Infinity;
    /** Returns false when the limit is reached. */
    const send = (text: string): boolean => {
      const chunk = remainingBytes === Infinity ? text : utf8Head(text, remainingBytes);
      if (chunk !== "") sink.data(chunk);
      remainingBytes -= byteLength(text);
      return remainingBytes > 0;
    };
    const kept = log.kept();
    const shown = kept.length === 0 && log.gone === undefined && ifEmpty !== undefined ? [ifEmpty] : kept;
    let lines = shown.filter((line) => line.timeMs >= sinceMs);
    if (options.tailLines !== undefined) lines = lines.slice(Math.max(lines.length - options.tailLines, 0));
    const withinLimit = send(lines.map((line) => renderLine(line, options.timestamps)).join(""));
    if (!options.follow || !withinLimit) {
      sink.end();
      return () => {};
    }
    const unfollow = log.follow({
      line: (line) => {
        if (send(renderLine(line, options.timestamps))) return;
        unfollow?.();
        sink.end();
      },
      end: () => sink.end(),
    });
    if (unfollow === undefined) sink.end();
    return unfollow ?? (() => {});
  }
}

function logsOf(pod: readonly ContainerLogs[], container: string): ContainerLogs | undefined {
  return pod.find((logs) => logs.container === container);
}

/**
 * RFC 3339: when the attempt started whose log is read, by the status of its pod. The status does not have the attempt
 * before the last. Undefined: none has started.
 */
export function startTimeOf(pod: Pod, container: string, previous: boolean): string | null | undefined {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const { state = {}, lastState = {} } =
    [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].find(
      ({ name }) => name === container,
    ) ?? {};
  const last = lastState.terminated?.startedAt;
  return previous ? last : (state.running?.startedAt ?? state.terminated?.startedAt ?? last);
}

/** Why a container has no log to read, in the words of the kubelet. */
export function logRefusal(podName: string, container: string, previous: boolean, waitingReason: string): LogRefusal {
  return previous
    ? { message: `previous terminated container "${container}" in pod "${podName}" not found` }
    : { message: `container "${container}" in pod "${podName}" is waiting to start: ${waitingReason}` };
}
