/** Reads an action of a scenario from data that a stranger may have written. scenario.ts says what each one does. */
import { type Action, MAX_SPAN_MS } from "../scenario.ts";
import { fail, type Fields, integer, matching, record, SharedDataError, text } from "./fields.ts";

/** The longest manifest: nobody types a longer one. */
export const MAX_YAML_LENGTH = 1024 * 1024;

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const NAME_SENTENCE = "the name of an object: lower-case letters, digits, hyphens and dots, at most 253";
const MAX_PODS = 2 ** 31 - 1;

type Reader = (value: unknown, path: string) => unknown;
const name: Reader = (value, path) => matching(value, path, NAME, NAME_SENTENCE);
const ms: Reader = (value, path) => integer(value, path, 0, MAX_SPAN_MS);
const span: Reader = (value, path) => integer(value, path, 1, MAX_SPAN_MS);
const pods: Reader = (value, path) => integer(value, path, 0, MAX_PODS);
const status: Reader = (value, path) => integer(value, path, 400, 599);
const yaml: Reader = (value, path) => text(value, path, MAX_YAML_LENGTH);
const optional =
  (read: Reader): Reader =>
  (value, path) =>
    value === undefined ? undefined : read(value, path);

const OBJECT = { namespace: name, name };

/** The fields of each kind beside `kind`. The type keeps it complete. */
const FIELDS: { readonly [K in Action["kind"]]: Readonly<Record<string, Reader>> } = {
  "apply": { yaml },
  "delete-job": OBJECT,
  "delete-pod": OBJECT,
  "evict-pod": OBJECT,
  "suspend": OBJECT,
  "resume": OBJECT,
  "scale": { ...OBJECT, parallelism: pods, completions: optional(pods) },
  "cordon": { node: name },
  "uncordon": { node: name },
  "drain": { node: name },
  "restart-controller": { downMs: ms },
  "api-errors": { status, forMs: span },
  "slow-api": { delayMs: ms, forMs: span },
  "stop-scheduler": { forMs: span },
};

/** @throws SharedDataError */
export function readAction(value: unknown, path: string): Action {
  const kind = (value as Fields | null)?.["kind"];
  if (typeof kind !== "string") fail(`${path}.kind`, kind, "the name of an action");
  if (!Object.hasOwn(FIELDS, kind))
    throw new SharedDataError(
      `${path}.kind is ${JSON.stringify(kind.slice(0, 60))}; allowed are ${Object.keys(FIELDS).join(", ")}`,
    );
  const fields = FIELDS[kind as Action["kind"]];
  const given = record(value, path, ["kind", ...Object.keys(fields)]);
  const action: Record<string, unknown> = { kind };
  for (const [field, read] of Object.entries(fields)) {
    const result = read(given[field], `${path}.${field}`);
    if (result !== undefined) action[field] = result;
  }
  return action as Action;
}
