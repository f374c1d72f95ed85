/**
 * What the API server needs from a kubelet: the log of a container. A kubelet registers itself under the name of its
 * node. Leaves out exec, attach and port forwarding.
 */
import type { KubeObject } from "../../values/types.ts";

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; at least 0. */
  readonly tailLines?: number;
  /** At least 1. */
  readonly sinceSeconds?: number;
  /** Milliseconds since 1970. */
  readonly sinceTime?: number;
  /** At least 1. */
  readonly limitBytes?: number;
}

/** Receives the text of a log. Exactly one `end` comes last. */
export interface LogSink {
  data(chunk: string): void;
  end(): void;
}

/** The log of a container. Nothing is read before `subscribe`. */
export interface LogStream {
  /**
   * Delivers the existing text, and with `follow` also new text until the container ends. Call the result to stop;
   * after that, `end` is not called.
   */
  subscribe(sink: LogSink): () => void;
  /** A note for a reader who asks for the whole log: the beginning of the log was dropped. */
  readonly warning?: string;
}

/**
 * Why there is no log: the message of a 400, such as `container "c" in pod "p" is waiting to start: ContainerCreating`.
 */
export interface LogRefusal {
  readonly message: string;
}

export interface KubeletApi {
  /** Synchronous. Without `follow` the stream ends inside subscribe. */
  readLogs(pod: KubeObject, container: string, options: LogOptions): LogStream | LogRefusal;
}
