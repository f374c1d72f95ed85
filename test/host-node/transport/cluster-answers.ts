/** Answers what a stand-in is asked from an in-memory cluster, watches too. */
import type { ServerResponse } from "node:http";
import type { Method } from "../../../bindings/js/host.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { Asked } from "./api-stand-in.ts";

export function answerFrom(cluster: Cluster, asked: Asked, response: ServerResponse): void {
  const { method, path, headers, body } = asked;
  const answered = cluster.handle({
    method: method as Method,
    path,
    headers: headers as Record<string, string>,
    ...(body.length === 0 ? {} : { body }),
  });
  response.writeHead(answered.status, answered.headers as Record<string, string>);
  if ("body" in answered) {
    response.end(answered.body);
    return;
  }
  response.flushHeaders();
  const close = answered.subscribe({ data: (chunk) => void response.write(chunk), end: () => void response.end() });
  response.once("close", close);
}
