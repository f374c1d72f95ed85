/**
 * What a command has printed as JSON has the form of its schema (host-node/cli/json/schema.json), and no member that is
 * not in it. The schema is open for later versions; here it is closed.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { asksForJson } from "../../../host-node/cli/json/error-report.ts";
import { schemaNamed, SCHEMA_NAMES } from "../../../host-node/cli/json/schema.ts";

const ajv = new Ajv2020();
const validators = new Map<string, ValidateFunction>();

/** The schema with no other members than those that it names. */
export function closed(schema: object): any {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === "object" && value.properties !== undefined && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}

/** What is wrong with a document; empty: nothing. @param name of its schema: a command, a kind or a part */
export function faultsOf(name: string, document: unknown): string {
  const validate = validators.get(name) ?? ajv.compile(closed(schemaNamed(name)));
  validators.set(name, validate);
  if (validate(document)) return "";
  const { kind } = document as { readonly kind?: string };
  // The kind says which of the documents of a command is meant.
  if (kind !== undefined && kind !== name && SCHEMA_NAMES.includes(kind)) return faultsOf(kind, document);
  return `${name} ${ajv.errorsText(validate.errors)}: ${JSON.stringify(document)}`;
}

/** @throws Error when a line of the output is not as the schema of the command says */
export function checkOutput(args: readonly string[], out: string): void {
  const [command = ""] = args;
  if (!SCHEMA_NAMES.includes(command) || !asksForJson(args)) return;
  // The last line may be cut, where the command was.
  const lines = out.slice(0, out.lastIndexOf("\n") + 1).split("\n");
  for (const line of lines.filter((text) => text !== "")) {
    const faults = faultsOf(command, JSON.parse(line));
    if (faults !== "") throw new Error(`stint ${args.join(" ")} printed what its schema does not have: ${faults}`);
  }
}

/** What is wrong with an answer of a tool of `stint mcp`, which has `notes` besides; empty: nothing. */
export function faultsOfAnswer(answer: unknown): string {
  if (answer === undefined) return "";
  const { notes, ...document } = answer as { readonly notes: unknown; readonly kind: string };
  return Array.isArray(notes) ? faultsOf(document.kind, document) : "it has no notes";
}
