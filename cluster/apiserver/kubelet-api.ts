/**
 * What the API server asks of a kubelet: the log of a container. A kubelet registers itself under the name of
 * its node. Leaves out exec, attach and port forwarding.
 */

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

/** Where the text of a log goes. Exactly one `end` comes last. */
export interface LogSink {
  data(chunk: string): void;
  end(): void;
}

export interface LogStream {
  /**
   * Delivers what there is, and with `follow` what comes until the container ends. Calling the result stops it; `end`
   * is not called after that.
   */
  subscribe(sink: LogSink): () => void;
  /** What a reader should know who asks for all of it: its beginning is gone. */
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
  readLogs(
    namespace: string,
    podName: string,
    podUid: string,
    container: string,
    options: LogOptions,
  ): LogStream | LogRefusal;
}
