/** The files that hold the words of the ABI, one a language, as they have to be. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format } from "oxfmt";
import formatConfig from "../../oxfmt.config.ts";
import { goOf } from "./go.ts";
import { javaScriptOf } from "./javascript.ts";
import { pythonOf } from "./python.ts";
import { readAbiWords } from "./read.ts";

export const root = path.resolve(import.meta.dirname, "../..");

/** By path from the root. */
export async function filesOfAbiWords(document = readFileSync(path.join(root, "bindings/ABI.md"), "utf8")) {
  const words = readAbiWords(document);
  const javaScriptFile = "bindings/js/abi.ts";
  const { code: javaScript } = await format(javaScriptFile, javaScriptOf(words), formatConfig);
  return new Map([
    [javaScriptFile, javaScript],
    ["bindings/go/abi.go", goOf(words)],
    ["bindings/python/src/stint/abi.py", pythonOf(words)],
  ]);
}
