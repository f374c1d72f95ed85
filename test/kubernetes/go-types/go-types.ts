/**
 * Builds and asks the Go program beside this file, which knows the types of Kubernetes. Its modules are those of
 * a file such as go.mod. Leaves out what is done with the answers.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "../../../cluster/values/types.ts";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** What Go's declaration of a field says. */
export interface FieldFacts {
  readonly name: string;
  /** As the schema writes it. */
  readonly type: string;
  readonly number: string;
  readonly pointer?: true;
  readonly mergeKey?: string;
  readonly strategy?: string;
  readonly list?: true;
}

/** An object with random values. */
export interface RandomObject {
  /** `batch/v1#Job`. */
  readonly name: string;
  readonly json: JsonObject;
  readonly protobuf: Uint8Array;
  /** What Go reads in it: protobuf does not know an empty list from none. */
  readonly read: JsonObject;
}

export class GoTypes {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param moduleFile says which release */
  static async build(moduleFile: string): Promise<GoTypes> {
    const folder = mkdtempSync(join(tmpdir(), "stint-go-types-"));
    const flags = ["-mod=readonly", `-modfile=${moduleFile}`, "-o", join(folder, "go-types")];
    await run("go", ["build", ...flags, "."], { cwd: import.meta.dirname });
    return new GoTypes(folder);
  }

  /** The fields of all structs that the kinds reach, by package and name. */
  async facts(kinds: readonly string[]): Promise<Record<string, FieldFacts[]>> {
    return JSON.parse(await this.#ask(["facts", ...kinds])) as Record<string, FieldFacts[]>;
  }

  async objects(count: number, kinds: readonly string[]): Promise<RandomObject[]> {
    const lines = (await this.#ask(["objects", String(count), ...kinds])).trim().split("\n");
    return lines.map((line) => {
      const object = JSON.parse(line) as Omit<RandomObject, "protobuf"> & { readonly protobuf: string };
      return { ...object, protobuf: Buffer.from(object.protobuf, "base64") };
    });
  }

  async #ask(args: readonly string[]): Promise<string> {
    const { stdout } = await run(join(this.#folder, "go-types"), args, { maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
