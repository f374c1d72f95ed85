/** The schema of what the commands print is that of its types, and says what a document is. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../host-node/cli/program.ts";
import {
  type OutputSchema,
  outputSchema,
  SCHEMA_FILE,
  SCHEMA_PAGE,
  schemaPageWith,
  schemaText,
} from "../../scripts/output-schema.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** Those of them that answer no question: their lines are for the program that starts them. */
const NO_READERS = ["serve"];

describe("the schema of what the commands print", () => {
  let made: OutputSchema;
  beforeAll(() => {
    made = outputSchema();
  });

  it("is current, with the tables of its page: npm run schema", () => {
    expect(read(SCHEMA_FILE)).toBe(schemaText(made));
    expect(read(SCHEMA_PAGE)).toBe(schemaPageWith(read(SCHEMA_PAGE), made));
  });

  it("is a JSON Schema, without an unknown word", () => {
    expect(() => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(made)).not.toThrow();
  });

  it("has each command that prints JSON", () => {
    const { commands } = createProgram("0.0.0", new RecordingConsole("/"), () => {});
    const printing = commands.filter(({ options }) =>
      options.some(({ long, argChoices }) => long === "--output" && argChoices?.includes("json")),
    );
    const names = printing.map((command) => command.name()).filter((name) => !NO_READERS.includes(name));
    const known = Object.keys(made.$defs).filter((name) => /^[a-z]/.test(name) && name !== "mcp");
    expect(known.toSorted()).toEqual(names.toSorted());
  });

  it("has the name of a document as its kind", () => {
    const kinds = Object.entries(made.$defs).flatMap(([name, { properties }]) => {
      const kind = properties?.kind?.const;
      return kind === undefined ? [] : [[name, kind, properties.version.const]];
    });
    expect(kinds.length).toBeGreaterThan(15);
    expect(kinds).toEqual(kinds.map(([name]) => [name, name, 1]));
  });
});
