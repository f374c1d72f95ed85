/**
 * The table of requests in ABI.md: every request of every vector is in it, with its type of content, and every row is
 * met. So a host can be written, and its rights be given, from the table alone.
 */
import { expect, test } from "vitest";
import type { PollResult } from "../../../bindings/js/engine.ts";
import { read } from "../../tidy/sources.ts";
import { loadVectors, newEngine } from "./vector-files.ts";
import { runVector } from "./vector-runner.ts";

interface Row {
  readonly request: string;
  readonly pattern: RegExp;
  readonly contentType: string;
}

function rowsOf(document: string): Row[] {
  const table = document.split("\n| for | request | Content-Type | right |\n")[1]!.split("\n\n")[0]!;
  return table
    .split("\n")
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    )
    .map(([, request = "", contentType = ""]) => {
      const [, method, path] = /^(\w+) `([^`]+)`/.exec(request)!;
      const escaped = path!.replace(/[.?]/g, "\\$&").replace(/NS|NAME|RESOURCE|UID/g, "[^/&]+");
      const more = request.includes("`&continue=`") ? "(&continue=.+)?" : "";
      return {
        request,
        pattern: new RegExp(`^${method} ${escaped}${more}$`),
        contentType: contentType.replaceAll("`", ""),
      };
    });
}

test("every request of the vectors is in the table, and every row of it occurs", async () => {
  const rows = rowsOf(read("bindings/ABI.md"));
  const met = new Set<Row>();
  const strangers = new Set<string>();
  for (const { vector, objects } of loadVectors()) {
    const observe = (output: unknown): void => {
      for (const { method, path, contentType, accept } of (output as Partial<PollResult>)?.requests ?? []) {
        const found = rows.filter(({ pattern }) => pattern.test(`${method} ${path}`));
        if (found.length !== 1 || found[0]!.contentType !== contentType || accept !== "application/json")
          strangers.add(`${method} ${path} (${contentType})`);
        else met.add(found[0]!);
      }
    };
    await runVector(vector, objects, { newEngine, observe });
  }
  expect([...strangers]).toEqual([]);
  expect(rows.filter((row) => !met.has(row)).map(({ request }) => request)).toEqual([]);
});
