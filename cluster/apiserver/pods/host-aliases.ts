/**
 * The rules of `hostAliases`, of Pods and of templates in Jobs. They stand around the admission function that the
 * server is given, and are only for `stint serve` and `stint run`: the engine, which validates the rest of a pod, has
 * to stay small. Source: pkg/apis/core/validation ValidateHostAliases.
 */
import type { Admission, JsonObject, KubeObject } from "../../values/types.ts";
import { ipProblem } from "../../values/ip-addresses.ts";
import { subdomainErrors } from "../../values/names.ts";
import { type FieldError, invalid, type StatusCause, type Violation } from "../contract/status-errors.ts";
import { invalid as invalidField, invalidAll } from "../strategies/field-errors.ts";

interface Review {
  readonly request: {
    readonly kind: { readonly group: string; readonly kind: string };
    readonly subResource?: string;
    readonly object: KubeObject;
  };
}

interface Answer {
  readonly response: JsonObject & {
    readonly allowed: boolean;
    readonly status?: { readonly details?: { readonly causes?: readonly StatusCause[] } };
  };
}

type Alias = { readonly ip?: string; readonly hostnames?: readonly string[] };

/** The same admission, which also checks `hostAliases`. */
export function withHostAliasRules(admission: Admission): Admission {
  return (text) => {
    const answered = admission(text);
    // Nearly no pod has any, and reviews are many.
    return text.includes('"hostAliases"') ? refusing(JSON.parse(text), answered) : answered;
  };
}

function refusing({ request }: Review, answered: string): string {
  const { kind, object, subResource } = request;
  const field = kind.kind === "Job" ? "spec.template.spec" : "spec";
  const spec = kind.kind === "Job" ? object["spec"]?.template?.spec : object["spec"];
  const errors = subResource === undefined ? aliasErrors(spec?.hostAliases ?? [], `${field}.hostAliases`) : [];
  if (errors.length === 0) return answered;
  const answer = JSON.parse(answered) as Answer;
  const { allowed, status, ...response } = answer.response;
  const causes = status?.details?.causes ?? [];
  // It was refused for another reason than its fields.
  if (!allowed && causes.length === 0) return answered;
  const name = object.metadata.name ?? "";
  const refusal = invalid({ group: kind.group, name: kind.kind }, name, inOrder(causes, errors)).status;
  const { patch: _patch, patchType: _type, ...rest } = response;
  return JSON.stringify({ ...answer, response: { ...rest, allowed: false, status: refusal } });
}

/** What no object may have comes before what an update may not change. */
function inOrder(causes: readonly StatusCause[], errors: readonly FieldError[]): readonly Violation[] {
  const change = causes.findIndex(({ message }) => message.endsWith(": field is immutable"));
  const count = change === -1 ? causes.length : change;
  return [...causes.slice(0, count), ...errors, ...causes.slice(count)];
}

function aliasErrors(aliases: readonly Alias[], field: string): FieldError[] {
  return aliases.flatMap(({ ip = "", hostnames = [] }, index) => {
    const problem = ipProblem(ip);
    return [
      ...(problem === undefined ? [] : [invalidField(`${field}[${index}].ip`, ip, problem)]),
      ...hostnames.flatMap((name, place) =>
        invalidAll(subdomainErrors(name), `${field}[${index}].hostnames[${place}]`, name),
      ),
    ];
  });
}
