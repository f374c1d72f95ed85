/** The input of a tool that is a manifest: text that the caller has, because no tool reads a file. */
import type { InputText } from "../../../cluster/manifests/manifests.ts";
import { MAX_INPUT_BYTES } from "../../manifests/read-input.ts";
import { UsageError } from "../../usage-error.ts";
import type { Schema } from "../json/schema.ts";
import { text } from "./tool.ts";

/** In errors and findings, where a command has the name of a file. */
const NAME = "<manifest>";

export const MANIFEST: Schema = text("Jobs and CronJobs as YAML or JSON: the text itself, not a path");

/** @throws UsageError when it is longer than a file may be */
export function sourceOf(manifest: string): InputText {
  const length = Buffer.byteLength(manifest);
  if (length > MAX_INPUT_BYTES)
    throw new UsageError(`the manifest has ${length} bytes; allowed are at most ${MAX_INPUT_BYTES} (4 MiB)`);
  return { file: NAME, text: manifest };
}
