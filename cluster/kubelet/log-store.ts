/**
 * The logs of a node's containers, current and previous attempt, and how they are read (docs/spec/api.md 5.9).
 *
 * Invariant: the logs of a pod can be read until its object is gone, unless more finished pods than the named limit come
 * after it; then they are dropped, the longest finished first. Leaves out access rules and query parameters, which are
 * the API server's.
 */
import type { Clock } from "../../bindings/js/host.ts";
import { byteLength } from "../apiserver/text.ts";
import type { LogOptions, LogRefusal, LogSink, LogStream } from "../apiserver/kubelet-api.ts";
import { BoundedMap } from "../bounded-map.ts";
import { ContainerLog, renderLine } from "./container-log.ts";
import type { LogLine, OutputStream } from "./container-log.ts";
import { utf8Head } from "./utf8.ts";

/** Finished pods whose logs are kept. */
export const MAX_FINISHED_PODS_WITH_LOGS = 20_000;

interface ContainerLogs {
  current: ContainerLog;
  previous: ContainerLog | undefined;
}

export class LogStore {
  private readonly clock: Clock;
  private readonly byPodUid = new Map<string, Map<string, ContainerLogs>>();
  /** In the order in which they finished. */
  private readonly finished = new BoundedMap<string, true>(MAX_FINISHED_PODS_WITH_LOGS);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The log of a new attempt; what was the current one becomes the previous one. */
  open(podUid: string, container: string, onLine: (stream: OutputStream, line: LogLine) => void): ContainerLog {
    let pod = this.byPodUid.get(podUid);
    if (pod === undefined) this.byPodUid.set(podUid, (pod = new Map()));
    const log = new ContainerLog(onLine);
    pod.set(container, { current: log, previous: pod.get(container)?.current });
    return log;
  }

  podFinished(podUid: string): void {
    if (!this.byPodUid.has(podUid)) return;
    const forgotten = this.finished.put(podUid, true);
    if (forgotten !== undefined) this.drop(forgotten);
  }

  /** The object is gone. */
  drop(podUid: string): void {
    this.finished.delete(podUid);
    this.byPodUid.delete(podUid);
  }

  /** The log of an attempt; undefined if there is none. */
  find(podUid: string, container: string, previous: boolean): ContainerLog | undefined {
    const logs = this.byPodUid.get(podUid)?.get(container);
    return previous ? logs?.previous : logs?.current;
  }

  /** A reader of one log under the options of `kubectl logs`. */
  read(log: ContainerLog, options: LogOptions): LogStream {
    return { subscribe: (sink) => this.deliver(log, options, sink) };
  }

  private deliver(log: ContainerLog, options: LogOptions, sink: LogSink): () => void {
    const sinceMs = options.sinceTime ?? (options.sinceSeconds === undefined ? -Infinity : this.clock.now() - options.sinceSeconds * 1000);
    let remainingBytes = options.limitBytes ?? Infinity;
    /** Returns false when the limit is reached. */
    const send = (text: string): boolean => {
      const chunk = remainingBytes === Infinity ? text : utf8Head(text, remainingBytes);
      if (chunk !== "") sink.data(chunk);
      remainingBytes -= byteLength(text);
      return remainingBytes > 0;
    };
    let lines = log.kept().filter((line) => line.timeMs >= sinceMs);
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

/** Why a container has no log to read, in the words of the kubelet. */
export function logRefusal(podName: string, container: string, previous: boolean, waitingReason: string): LogRefusal {
  return previous
    ? { message: `previous terminated container "${container}" in pod "${podName}" not found` }
    : { message: `container "${container}" in pod "${podName}" is waiting to start: ${waitingReason}` };
}
