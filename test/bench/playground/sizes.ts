/**
 * What a browser must fetch before the first picture, and for the editor after it, gzipped. Which file needs which is
 * read from the built files: a static import comes with its importer, `import()` comes later.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

export interface Sizes {
  readonly engineAndWorker: number;
  readonly firstLoad: number;
  readonly editor: number;
  /** Name and bytes of every file of the first load, the largest first. */
  readonly files: readonly (readonly [name: string, bytes: number])[];
}

const ENGINE = ["engine.wasm", "worker.js"];
const STATIC_IMPORT = /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{][^"';()]*?from\s*)?["']\.\/([^"']+\.js)["']/g;

export function sizesOf(folder: string): Sizes {
  const names = readdirSync(folder);
  const gzipped = (name: string): number => gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length;
  const html = readFileSync(path.join(folder, "index.html"), "utf8");
  const linked = [...html.matchAll(/(?:src|href)="(?:\.\/)?([^"#?:]+)"/g)].map((match) => match[1]!);
  const first = new Set(["index.html", ...ENGINE]);
  for (const name of linked) if (names.includes(name) && !name.endsWith(".html")) collect(folder, name, first);
  const editor = new Set<string>();
  for (const name of names) if (/^editor.*\.(js|css)$/.test(name)) collect(folder, name, editor);
  const sum = (files: Iterable<string>): number => [...files].reduce((total, name) => total + gzipped(name), 0);
  return {
    engineAndWorker: sum(ENGINE),
    firstLoad: sum(first),
    editor: sum([...editor].filter((name) => !first.has(name))),
    files: [...first].map((name) => [name, gzipped(name)] as const).sort(([, a], [, b]) => b - a),
  };
}

function collect(folder: string, name: string, into: Set<string>): void {
  if (into.has(name)) return;
  into.add(name);
  if (!name.endsWith(".js")) return;
  const source = readFileSync(path.join(folder, name), "utf8");
  for (const match of source.matchAll(STATIC_IMPORT)) collect(folder, match[1]!, into);
}
