/** `GET pods/NAME/log`: checks the options, finds the kubelet of the pod's node, and passes the log on. */
import { keyOf, type ResourceRequest, type ServerContext } from "../contract/context.ts";
import type { LogOptions, LogSink, LogStream } from "../contract/kubelet-api.ts";
import { badRequest, type FieldError, invalid, notFound, plainError } from "../contract/status-errors.ts";
import { normalizeTime, parseTime } from "../../values/times.ts";

const tooSmall = (field: string, value: number, minimum: number): FieldError => ({
  kind: "Invalid",
  field,
  value,
  detail: minimum === 0 ? "must be greater than or equal to 0" : "must be greater than 0",
});

/**
 * @returns the log; undefined if the pod has no node yet, which is a response without content
 * @throws ApiError 400, 404, 422, 500
 */
export function readLog(request: ResourceRequest): LogStream | undefined {
  const { server, namespace, name, definition } = request;
  const options = logOptions(request);
  const pod = server.store(definition).get(keyOf(namespace, name))?.object;
  if (!pod) throw notFound({ group: "", name: "pods" }, name);
  const container = containerOf(pod.spec ?? {}, name, request.query.text("container"));
  const nodeName: string | undefined = pod.spec?.nodeName;
  if (!nodeName) return undefined;
  // Upstream quirk: the missing node is reported as if it were a pod.
  if (!server.store(server.definition("", "nodes")).get(nodeName))
    throw notFound({ group: "", name: "pods" }, nodeName);
  const kubelet = server.kubelet(nodeName);
  if (!kubelet) throw plainError("no preferred addresses found; known addresses: []");
  const log = kubelet.readLogs(pod, container, options);
  if ("message" in log) throw badRequest(log.message);
  return log;
}

/** The text that is there now. */
export function wholeLog(log: LogStream): string {
  let text = "";
  log.subscribe({
    data: (chunk) => {
      text += chunk;
    },
    end: () => {},
  });
  return text;
}

/** Passes on a followed log. It counts as open until it ends or is closed. */
export function followLog(log: LogStream, sink: LogSink, server: ServerContext): () => void {
  let isOpen = true;
  const release = server.openStream();
  const finish = (): void => {
    if (isOpen) release();
    isOpen = false;
  };
  const close = log.subscribe({
    data: (chunk) => sink.data(chunk),
    end() {
      finish();
      sink.end();
    },
  });
  return () => {
    finish();
    close();
  };
}

function containerOf(spec: Record<string, { name: string }[] | undefined>, podName: string, wanted: string): string {
  const names = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])].map(
    (container) => container.name,
  );
  if (wanted === "") {
    if (names.length === 1) return names[0]!;
    throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(" ")}]`);
  }
  if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
  return wanted;
}

function logOptions({ query, name }: ResourceRequest): LogOptions {
  const tailLines = query.integer("tailLines");
  const limitBytes = query.integer("limitBytes");
  const sinceSeconds = query.integer("sinceSeconds");
  const sinceTime = readTime(query.text("sinceTime"));
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) errors.push(tooSmall("tailLines", tailLines, 0));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(tooSmall("limitBytes", limitBytes, 1));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push({
      kind: "Forbidden",
      field: "[]",
      detail: "at most one of `sinceTime` or `sinceSeconds` may be specified",
    });
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(tooSmall("sinceSeconds", sinceSeconds, 1));
  }
  if (query.has("stream")) errors.push({ kind: "Forbidden", field: "stream", detail: "may not be specified" });
  if (errors.length > 0) throw invalid({ group: "", name: "PodLogOptions" }, name, errors);
  return {
    follow: query.boolean("follow"),
    previous: query.boolean("previous"),
    timestamps: query.boolean("timestamps"),
    ...(tailLines !== undefined && { tailLines }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(sinceTime !== undefined && { sinceTime }),
    ...(limitBytes !== undefined && { limitBytes }),
  };
}

function readTime(text: string): number | undefined {
  if (text === "") return undefined;
  try {
    return parseTime(normalizeTime(text));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
