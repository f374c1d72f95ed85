/**
 * Reads openapi.json, with the descriptions of all fields: it lies beside the bundled command, and in `build/` of a
 * source tree. It is not cached: it is large, and clients rarely ask for OpenAPI and keep what they get.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TypeTexts } from "../cluster/apiserver/openapi/type-texts.ts";
import { embeddedFile } from "./embedded-file.ts";

const CANDIDATES = ["./openapi.json", "../build/openapi.json"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** @throws Error naming the places that were tried */
export function readTypeTexts(): TypeTexts {
  const embedded = embeddedFile("openapi.json");
  if (embedded !== undefined) return JSON.parse(embedded.toString("utf8")) as TypeTexts;
  const found = CANDIDATES.find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(
      `there is no openapi.json; it was looked for at ${CANDIDATES.join(" and ")}. In a source tree, \`npm run build\` makes it`,
    );
  return JSON.parse(readFileSync(found, "utf8")) as TypeTexts;
}
