/**
 * YAML in front of the cluster, which knows JSON: bodies are translated on their way in, answers on their way out, as
 * the headers of the request ask for it. Applies are YAML anyway, and the cluster reads them itself.
 *
 * Invariant: an answer of more than MAX_YAML_LENGTH characters stays JSON, which is YAML too. Writing it in block form
 * would block the server for seconds. Leaves out watches, which have no form in YAML.
 */
import { stringify, type Tags } from "yaml";
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/values/text.ts";
import { parseAccept } from "../../cluster/apiserver/http/accept.ts";
import { MAX_YAML_LENGTH, readConfiguration } from "../../cluster/apiserver/apply/read-configuration.ts";
import { Warnings } from "../../cluster/apiserver/contract/warnings.ts";
import type { JsonObject, ServerRequest, StreamingResponse } from "../../cluster/index.ts";
import { unreadable, withHeader } from "./body-forms.ts";
import { badRequest } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

const MEDIA_TYPE = "application/yaml";
const API_PATH = /^\/apis?(?:\/|\?|$)/;
const FORMS = [MEDIA_TYPE, "application/json", "*/*"];
const METHODS_WITH_OBJECTS: readonly string[] = ["POST", "PUT", "DELETE"];

export function withYaml(handler: RequestHandler): RequestHandler {
  return {
    handle: (request) => {
      if (!API_PATH.test(request.path)) return handler.handle(request);
      const answer = withJsonBody(request, handler);
      return likesYaml(request.headers["accept"] ?? "") && "body" in answer ? inYaml(answer) : answer;
    },
  };
}

function likesYaml(accept: string): boolean {
  if (!accept.includes(MEDIA_TYPE)) return false;
  return parseAccept(accept).find(({ mediaType }) => FORMS.includes(mediaType))?.mediaType === MEDIA_TYPE;
}

function withJsonBody(request: ServerRequest, handler: RequestHandler): ApiResponse | StreamingResponse {
  const { headers, method, body = "" } = request;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  if (mediaType.trim() !== MEDIA_TYPE || !METHODS_WITH_OBJECTS.includes(method)) return handler.handle(request);
  const translated = withHeader(request, "content-type", "application/json");
  const text = textOf(body);
  // A delete may come without options.
  if (text === "" && method === "DELETE") return handler.handle(translated);
  try {
    const { object, problems } = readConfiguration(text);
    if (problems.length > 0 && isStrict(request.path))
      return refused(`strict decoding error: yaml: unmarshal errors:\n  ${problems.join("\n  ")}`, object);
    const answer = handler.handle({ ...translated, body: JSON.stringify(object) });
    return isLenient(request.path) ? answer : warned(answer, problems);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const why = error.message.replace(/^error unmarshaling JSON: /, "");
    return refused(why);
  }

  function refused(why: string, object?: JsonObject): ApiResponse {
    const { kind, apiVersion } = (object ?? {}) as Record<string, string | undefined>;
    const known = { kind: String(kind ?? ""), apiVersion: String(apiVersion ?? "") };
    return badRequest(unreadable(why, known, Buffer.from(text), request, handler));
  }
}

const isStrict = (path: string): boolean => /[?&]fieldValidation=Strict(?:&|$)/.test(path);
const isLenient = (path: string): boolean => /[?&]fieldValidation=Ignore(?:&|$)/.test(path);

/** The answer with warnings about duplicate keys. */
function warned(answer: ApiResponse | StreamingResponse, problems: readonly string[]): ApiResponse | StreamingResponse {
  if (problems.length === 0) return answer;
  const told = new Warnings();
  for (const problem of problems) told.add(problem);
  const warnings = [answer.headers["warning"] ?? [], told.headers()].flat();
  return { ...answer, headers: { ...answer.headers, warning: warnings } };
}

function inYaml(answer: ApiResponse): ApiResponse {
  const type = answer.headers["content-type"];
  if (type !== MEDIA_TYPE && type !== "application/json") return answer;
  const text = textOf(answer.body);
  const headers = { ...answer.headers, "content-type": MEDIA_TYPE };
  return { status: answer.status, headers, body: text.length > MAX_YAML_LENGTH ? text : yamlOf(text) };
}

/** In the server's form: members by their names, and lists not indented. */
function yamlOf(json: string): string {
  return stringify(JSON.parse(json), {
    version: "1.1",
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags: Tags) => tags.map(withoutDot),
  });
}

/** The library reads a dot alone, which every managedFields has as a key, as a number and quotes it. */
function withoutDot(tag: Tags[number]): Tags[number] {
  if (typeof tag === "string" || !("test" in tag) || !tag.test?.test(".")) return tag;
  return { ...tag, test: /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9_]+)$/ };
}
