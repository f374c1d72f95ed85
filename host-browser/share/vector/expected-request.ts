/** A request of the engine in the format of the vectors. Every answer comes in a separate step. */
import type { EngineRequest } from "../../../bindings/js/engine.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { SharedDataError } from "../fields.ts";
import type { Names } from "./names.ts";
import type { ExpectedRequest } from "./steps.ts";

const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
const SELECTED = /labelSelector=batch\.kubernetes\.io%2Fcontroller-uid%3D([^&]+)/;
/** The default Job of a vector. */
const JOB = "j";

/** @param createdName the name for a created pod */
export function expectedRequest(
  { method, path }: EngineRequest,
  body: JsonObject,
  names: Names,
  createdName: string,
): ExpectedRequest {
  const [, resource = "", name = "", sub = ""] = /\/(pods|jobs)(?:\/([^/?]+))?(\/status)?/.exec(path) ?? [];
  const metadata = (body["metadata"] ?? {}) as JsonObject;
  switch (`${method} ${resource}${name === "" ? "" : "/"}${sub}`) {
    case "POST pods":
      return { create: createdName, ...indexOf(metadata), ...jobOf(metadata), answer: "later" };
    case "GET pods": {
      const uid = names.written(SELECTED.exec(path)?.[1] ?? "");
      return { list: uid.replace(/^uid-/, ""), answer: "later" };
    }
    case "PATCH pods/":
      return { ...patchOf(name, metadata), answer: "later" };
    case "DELETE pods/":
      return { delete: name, answer: "later" };
    case "PATCH jobs//status":
      return { status: body["status"] as Json, ...(name === JOB ? {} : { job: name }), answer: "later" };
    case "GET jobs/":
      return { read: name, answer: "later" };
    case "DELETE jobs/":
      return { remove: name, answer: "later" };
    default:
      throw new SharedDataError(`a vector cannot say the request ${method} ${path}`);
  }
}

/** What a `settle` step calls it. */
export function keyOf(expected: ExpectedRequest, { path }: EngineRequest): string {
  if (expected.status !== undefined) return `status ${expected.job ?? JOB}`;
  const words = ["create", "strip", "adopt", "release", "delete", "list", "read", "remove"] as const;
  const word = words.find((one) => expected[one] !== undefined);
  if (word === undefined) throw new SharedDataError(`a vector cannot say the request ${path}`);
  return `${word} ${expected[word]}`;
}

function indexOf({ annotations }: JsonObject): { readonly index?: number } {
  const index = ((annotations ?? {}) as JsonObject)[INDEX_KEY];
  return index === undefined ? {} : { index: Number(index) };
}

function jobOf({ ownerReferences }: JsonObject): { readonly job?: string; readonly uid?: string } {
  const { name, uid } = ((ownerReferences ?? []) as JsonObject[])[0] ?? {};
  return {
    ...(name === JOB || name === undefined ? {} : { job: String(name) }),
    ...(uid === undefined || uid === `uid-${String(name)}` ? {} : { uid: String(uid) }),
  };
}

function patchOf(pod: string, metadata: JsonObject): Omit<ExpectedRequest, "answer"> {
  const [owner] = (metadata["ownerReferences"] ?? []) as JsonObject[];
  if (owner === undefined) return { strip: pod };
  const job = jobOf(metadata);
  return owner["$patch"] === "delete" ? { release: pod, ...job } : { adopt: pod, ...job };
}
