/**
 * Reads an action of a scenario from untrusted data. scenario.ts says what each one does, and scenario-limits.ts how
 * large its numbers may be.
 */
import { type Action, MAX_YAML_LENGTH } from "../../cluster/simulation/scenario.ts";
import { fail, type Fields, matching, number, record, SharedDataError, text } from "./fields.ts";

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const NAME_SENTENCE = "the name of an object: lower-case letters, digits, hyphens and dots, at most 253";

type Reader = (value: unknown, path: string) => unknown;
const name: Reader = (value, path) => matching(value, path, NAME, NAME_SENTENCE);
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
  "never-schedule": OBJECT,
  "suspend": OBJECT,
  "resume": OBJECT,
  "scale": { ...OBJECT, parallelism: number, completions: optional(number) },
  "cordon": { node: name },
  "uncordon": { node: name },
  "drain": { node: name },
  "lose-node": { node: name },
  "restart-controller": { downMs: number },
  "api-errors": { status: number, forMs: number },
  "slow-api": { delayMs: number, forMs: number },
  "stop-scheduler": { forMs: number },
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
