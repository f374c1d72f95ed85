/** Sends an object to the API server of a cluster as a dry run, which stores nothing. */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../values/text.ts";
import { type ApiResource, resourcePath, withQuery } from "../client/client.ts";
import type { BareCluster } from "../bare-cluster.ts";

/** `Strict` refuses unknown fields before it reads any value, as kubectl requests; `Ignore` drops them. */
export type FieldValidation = "Strict" | "Ignore";

/** The server's response to a creation: the body of its refusal; undefined: it accepts the object. */
export type Attempt = (object: object, level: FieldValidation) => string | undefined;

export interface CreateOptions {
  readonly level: FieldValidation;
  readonly isDryRun: boolean;
}

/** The answer to a creation. @param namespace where it is created, if the resource has namespaces */
export function createObject(
  cluster: BareCluster,
  resource: ApiResource,
  namespace: string,
  object: object,
  { level, isDryRun }: CreateOptions,
): ApiResponse {
  const path = resourcePath(resource, resource.namespaced ? namespace : undefined);
  const query = { ...(isDryRun ? { dryRun: "All" } : {}), fieldManager: "stint", fieldValidation: level };
  const response = cluster.handle({
    method: "POST",
    path: withQuery(path, query),
    headers: { "content-type": "application/json", accept: "application/json", "user-agent": "stint" },
    body: JSON.stringify(object),
  });
  if (!("body" in response)) throw new Error(`the answer to a POST of ${path} is a stream`);
  return response;
}

export function attemptIn(cluster: BareCluster, resource: ApiResource, namespace: string): Attempt {
  return (object, level) => {
    const { status, body } = createObject(cluster, resource, namespace, object, { level, isDryRun: true });
    return status === 201 ? undefined : textOf(body);
  };
}
