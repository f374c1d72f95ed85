/** `stint schema`: the schema of what the commands print as JSON, or a part of it. */
import { similarNames } from "../../../cluster/values/similar-names.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { SCHEMA_NAMES, schemaNamed, WHOLE_SCHEMA } from "../json/schema.ts";

/** @param name undefined: all of it. @returns the exit status. @throws UsageError for an unknown name */
export function printSchema(name: string | undefined, console: Console): number {
  if (name !== undefined && !SCHEMA_NAMES.includes(name)) {
    const [similar] = similarNames(name, SCHEMA_NAMES);
    const advice = similar === undefined ? `allowed are ${SCHEMA_NAMES.join(", ")}` : `did you mean ${similar}?`;
    throw new UsageError(`there is no schema ${JSON.stringify(name)}; ${advice}`);
  }
  const schema = name === undefined ? WHOLE_SCHEMA : schemaNamed(name);
  console.writeOut(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
