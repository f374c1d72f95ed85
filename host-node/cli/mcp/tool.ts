/** What a tool is: a command of the same name, with its input and its answer as JSON schemas. */
import type { Console } from "../console.ts";
import type { Schema } from "../json/schema.ts";
import type { ClusterChoice } from "../cluster-access.ts";

export interface ToolOptions extends ClusterChoice {
  /** Contexts of the kubeconfig that an agent may name, besides that of the flags. */
  readonly allowedContexts: readonly string[];
  /** The address of a controller that is asked first about a Job of the cluster that the flags choose. */
  readonly controller: string | undefined;
  /** Where the Lease of a stint controller is looked for. */
  readonly controllerNamespace: string;
  /** Of the program. */
  readonly version: string;
}

/** An answer that has a stable form. */
export interface Structure {
  /** The kinds of documents of which the answer is one, with `notes` beside it (docs/json.md). */
  readonly kinds: readonly string[];
  /** The properties with lists that are cut when the answer is too long, the first one first. */
  readonly lists: readonly string[];
  /** @param printed the documents that the command has printed */
  of(printed: readonly Record<string, unknown>[], status: number): Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it answers, and when to use it and when another one. */
  readonly description: string;
  readonly properties: Schema;
  readonly required: readonly string[];
  /** Whether the answer depends on what is outside this process. */
  readonly asksCluster: boolean;
  /** Undefined: the answer is what the command prints. */
  readonly structure?: Structure;
  /**
   * Calls the command.
   * @param input is as `properties` says
   * @returns the exit status. @throws the errors of the command
   */
  run(input: any, console: Console): Promise<number>;
}

export const text = (description: string, more: Schema = {}): Schema => ({ type: "string", description, ...more });
export const listOf = (items: Schema, description: string, more: Schema = {}): Schema => ({
  type: "array",
  items,
  description,
  ...more,
});
