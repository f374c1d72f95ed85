/**
 * The rules of the house that no compiler checks: which folder may import what, where time and chance come from, how
 * files are named and begin, and that what the documents say is there. Each rule is shown to fail on a sample.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { withoutComments } from "./scanner.ts";
import { files, type Import, importsOf, placesOf, read, root } from "./sources.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;
const siteManifest = JSON.parse(read("site/package.json")) as Pick<Manifest, "dependencies">;
const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith(".d.ts"));

/** They are among `dependencies`, because the command is built with them; it has nothing of them. */
const BUILDERS: readonly string[] = ["assemblyscript", "binaryen", "esbuild", "node"];

/**
 * What a folder may import; types alone where it says so. The rule of the innermost folder counts. ARCHITECTURE.md has
 * the same table in words.
 */
interface FolderRule {
  readonly folders: readonly string[];
  readonly typesOf?: readonly string[];
  readonly packages?: readonly string[] | "dependencies" | "all";
  readonly node?: boolean;
  /** Single files beyond the folders. */
  readonly files?: readonly string[];
  /** What single files of the folder import beyond that. */
  readonly packagesOf?: Readonly<Record<string, readonly string[]>>;
}
const RULES: Readonly<Record<string, FolderRule>> = {
  assembly: { folders: ["assembly"] },
  "bindings/js": { folders: ["bindings/js"] },
  cluster: {
    folders: ["cluster"],
    typesOf: ["bindings/js"],
    packages: ["@bufbuild/protobuf", "@marcbachmann/cel-js", "croner", "re2js", "yaml"],
    files: ["build/schema.json", "build/schema-served.json", "build/kinds.ts"],
  },
  // The one part of the cluster that runs the engine: as the Job controller of a world.
  "cluster/simulation": { folders: ["cluster", "bindings/js"] },
  // It asks an engine about objects, and controls nothing.
  "cluster/observed": { folders: ["cluster", "bindings/js"] },
  "host-node": {
    folders: ["host-node", "bindings/js", "cluster"],
    packages: "dependencies",
    node: true,
    // The link of `stint forecast --outcome` opens its run in the playground.
    files: ["package.json", "host-browser/share/address.ts"],
    // Who imports the matchers for vitest has it.
    packagesOf: { "host-node/testing/vitest.ts": ["vitest"] },
  },
  "host-browser": {
    folders: ["host-browser", "bindings/js", "cluster", "examples"],
    files: ["build/incident-pack.ts", "build/panel-components.ts", "build/panel-data.ts", "build/panel-names.ts"],
    packages: [
      "preact",
      "@preact/signals",
      "@codemirror/autocomplete",
      "@codemirror/commands",
      "@codemirror/lang-yaml",
      "@codemirror/language",
      "@codemirror/lint",
      "@codemirror/state",
      "@codemirror/view",
      "@lezer/highlight",
      "@noble/hashes",
    ],
  },
  // A checker of controllers that shares their code shares their mistakes.
  "test/history": { folders: ["test/history"], packages: ["vitest"], node: true, files: ["test/arguments.ts"] },
  // The runner of the vectors belongs to the tests; vector-digests.ts writes down what it saw, for the bindings of
  // other languages.
  scripts: {
    folders: ["scripts", "bindings/js", "cluster", "host-node", "host-browser"],
    packages: "all",
    node: true,
    files: [
      "oxfmt.config.ts",
      "package.json",
      "test/bindings/js/saved-engine.ts",
      "test/bindings/js/vector-files.ts",
      "test/bindings/js/vector-runner.ts",
    ],
  },
};

function isIn(folders: readonly string[], target: string): boolean {
  return folders.some((folder) => target.startsWith(`${folder}/`));
}

/** The innermost folder of a file that has a rule. */
function innermost(file: string): string | undefined {
  return Object.keys(RULES)
    .filter((folder) => isIn([folder], file))
    .sort((a, b) => b.length - a.length)[0];
}

function isAllowed(rule: FolderRule, file: string, { specifier, target, isTypeOnly }: Import): boolean {
  if (target !== undefined) {
    return (
      isIn(rule.folders, target) ||
      (isTypeOnly && isIn(rule.typesOf ?? [], target)) ||
      (rule.files ?? []).includes(target)
    );
  }
  if (specifier.startsWith("node:")) return rule.node === true;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (rule.packagesOf?.[file]?.includes(name)) return true;
  if (rule.packages === "all") return name in manifest.dependencies || name in manifest.devDependencies;
  if (rule.packages === "dependencies") return name in manifest.dependencies && !BUILDERS.includes(name);
  return (rule.packages ?? []).includes(name);
}

function brokenImports(folder: string, file: string, source?: string): string[] {
  return importsOf(file, source)
    .filter((entry) => !isAllowed(RULES[folder]!, file, entry))
    .map((entry) => `${file} imports ${entry.specifier}${entry.isTypeOnly ? " (types)" : ""}`);
}

describe("imports", () => {
  test.each(Object.keys(RULES))("%s imports only what it may", (folder) => {
    const inside = sources.filter((file) => innermost(file) === folder);
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.flatMap((file) => brokenImports(folder, file))).toEqual([]);
  });

  /** Files that are imported only to run them. */
  function ranIn(file: string, source = read(file)): string[] {
    return importsOf(file, source)
      .filter(({ target, names, isTypeOnly, isDynamic }) => {
        return target !== undefined && /\.[jt]sx?$/.test(target) && !isTypeOnly && !isDynamic && names.length === 0;
      })
      .map(({ specifier }) => `${file} imports ${specifier} to run it`);
  }

  test("name what they need: a bundler that splits code runs files in another order", () => {
    const inside = sources.filter((file) => isIn(["bindings/js", "cluster", "host-node", "host-browser"], file));
    expect(inside.flatMap((file) => ranIn(file))).toEqual([]);
    const samples = [
      'import "./b.ts";',
      'import { b } from "./b.ts";',
      'import "./b.css";',
      'import type {} from "./b.ts";',
    ];
    expect(samples.flatMap((sample) => ranIn("cluster/a.ts", sample))).toEqual([
      "cluster/a.ts imports ./b.ts to run it",
    ]);
  });

  test("the rules catch what they forbid", () => {
    const cases: [folder: string, line: string][] = [
      ["assembly", 'import { x } from "../bindings/js/engine.ts";'],
      ["bindings/js", 'import fs from "node:fs";'],
      ["host-node", 'import { expect } from "vitest";'],
      ["cluster", 'import { Engine } from "../bindings/js/engine.ts";'],
      ["cluster", 'import {\n  type A,\n  B,\n} from "../bindings/js/host.ts";'],
      ["cluster", 'const { x } = await import("node:fs");'],
      ["cluster/simulation", 'import { x } from "../../host-browser/messages.ts";'],
      ["cluster/simulation", 'import { parse } from "yaml";'],
      ["host-node", 'import { x } from "../host-browser/worker/player.ts";'],
      ["host-node", 'export * from "vitest";'],
      ["host-browser", 'import "node:fs";'],
      ["scripts", 'import { x } from "../test/tidy/sources.ts";'],
      ["test/history", 'import { x } from "../../bindings/js/engine.ts";'],
      ["test/history", 'import { x } from "../naive/intervals.ts";'],
    ];
    for (const [folder, line] of cases) expect(brokenImports(folder, `${folder}/a.ts`, line), line).toHaveLength(1);
    expect(
      brokenImports(
        "cluster",
        "cluster/a.ts",
        'import type { A } from "../bindings/js/host.ts";\nimport { type B } from "../bindings/js/host.ts";',
      ),
    ).toEqual([]);
  });
});

describe("time and chance", () => {
  const FORBIDDEN =
    /\b(Date\.now|performance\.now|Math\.random|crypto\.(getRandomValues|randomUUID)|setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bnew Date\(\s*\)/;

  test.each(["cluster", "bindings/js", "assembly"])("%s takes both from its host", (folder) => {
    const inside = sources.filter((file) => isIn([folder], file));
    expect(inside.flatMap((file) => placesOf(FORBIDDEN, file, withoutComments(read(file))))).toEqual([]);
  });

  test("the rule catches what it forbids, and not what a comment says", () => {
    const sample =
      "const a = Date.now(); // fine: Math.random()\nconst b = new Date();\nconst c = new Date(5); /* setTimeout */ setTimeout(f, 1);";
    expect(placesOf(FORBIDDEN, "a.ts", withoutComments(sample)).map((place) => place.split(":")[1])).toEqual([
      "1",
      "2",
      "3",
    ]);
    // What looks like a comment inside a literal is none.
    for (const literal of ['"/*"', "'//'", "/[/*]/", '/"/', "/'/", "`//${`/*`}`"])
      expect(
        placesOf(FORBIDDEN, "a.ts", withoutComments(`const a = ${literal}; Date.now(); /* a */`)),
        literal,
      ).toHaveLength(1);
    expect(placesOf(FORBIDDEN, "a.ts", withoutComments('const a = /"/; // Date.now() is "now"'))).toEqual([]);
  });
});

describe("objects and calls", () => {
  /** Also the formatter breaks lines, and the linter's rule for this would forbid copies that loops need. */
  const FORBIDDEN = /\.\.\.\{/;

  test("are written without spreading a literal object into them", () => {
    const inside = sources.filter((file) => !isIn(["assembly"], file));
    expect(inside.flatMap((file) => placesOf(FORBIDDEN, file, withoutComments(read(file))))).toEqual([]);
  });

  test("the rule catches what it forbids, and no copy", () => {
    const sample = `f({ ...${"{"} a, b }, c });\nf({ ...a, b: [...c] }); // ...${"{"} a }\n`;
    expect(placesOf(FORBIDDEN, "a.ts", withoutComments(sample))).toHaveLength(1);
  });
});

describe("files", () => {
  const FOLDERS = [
    "assembly",
    "bindings",
    "cluster",
    "host-node",
    "host-browser",
    "scripts",
    "test",
    "examples",
    "deploy",
    "docs",
  ];
  /** Names that tools or custom fix. */
  const FIXED =
    /^((README|ABI|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY|SKILL)\.md|Cargo\.(toml|lock)|Dockerfile|Chart\.yaml|_helpers\.tpl|NOTES\.txt|LICENSE|NOTICE)$/;
  /** Python names modules so, and Go its test files. */
  const SNAKE_CASE = /^[a-z0-9_]+\.(py|go)$/;

  test("have kebab-case names, and so have their folders", () => {
    const parts = files
      .filter((file) => isIn(FOLDERS, file))
      .flatMap((file) => file.split("/").map((part) => [part, file] as const));
    expect(
      parts
        .filter(
          ([part]) =>
            !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/.test(part) &&
            !FIXED.test(part) &&
            !SNAKE_CASE.test(part),
        )
        .map(([, file]) => file),
    ).toEqual([]);
  });

  test("open with a comment that says what they are for", () => {
    const silent = sources.filter((file) => {
      const opening = /^(?:#![^\n]*\n)?\s*(\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*\n)+)/.exec(read(file))?.[1] ?? "";
      return opening.replace(/[\s/*]+/g, " ").trim().length < 25;
    });
    expect(silent).toEqual([]);
  });

  test("name no place on the machine that they were written on", () => {
    const local = /(^|[^\w.-])\/(work\/|root\/|Users\/\w|home\/\w+\/)/;
    const texts = files.filter(
      (file) =>
        /\.(ts|tsx|mjs|js|json|md|yaml|yml|css|html|sh|go|py|toml)$|(^|\/)[^.]+$/.test(file) &&
        file !== "package-lock.json",
    );
    expect(texts.flatMap((file) => placesOf(local, file, read(file)))).toEqual([]);
    expect(placesOf(local, "a", `const root = "${["", "root", "project"].join("/")}";`)).toHaveLength(1);
  });

  test("leave nothing to be done later", () => {
    const later = new RegExp(
      `\\b(${["TO", "FIX"].map((word) => `${word}${word === "TO" ? "DO" : "ME"}`).join("|")})\\b`,
    );
    expect(sources.flatMap((file) => placesOf(later, file, read(file)))).toEqual([]);
  });
});

describe("classes", () => {
  /** `#` keeps a member private when the program runs, too. It is not allowed before a constructor. */
  const MODIFIED =
    /^\s*(?:(?:static|override|abstract|declare|readonly|async) )*(?:private|protected) (?!constructor\b)/;

  function membersWithModifiers(file: string, source = read(file)): string[] {
    return placesOf(MODIFIED, file, withoutComments(source));
  }

  test("hide members with #", () => {
    // AssemblyScript has no #.
    const inside = sources.filter((file) => !isIn(["assembly", "test/engine"], file));
    expect(inside.flatMap((file) => membersWithModifiers(file))).toEqual([]);
  });

  test("the rule catches members that are private in name alone", () => {
    const breaches = [
      "private a = 1;",
      "  protected b(): void {}",
      "  static private c = 1;",
      "  private async d() {}",
    ];
    for (const breach of breaches) expect(membersWithModifiers("a.ts", breach), breach).toHaveLength(1);
    const allowed = ["  #a = 1;", "  private constructor() {}", "// private a", 'const text = "private a";'];
    for (const line of allowed) expect(membersWithModifiers("a.ts", line), line).toEqual([]);
  });
});

describe("the built engine", () => {
  test("imports nothing", async () => {
    const module = await WebAssembly.compile(readFileSync(path.join(root, "build/engine.wasm")));
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });
});

describe("documents", () => {
  const documents = files.filter((file) => file.endsWith(".md"));

  /** The anchors that GitHub makes of headings. */
  function anchorsOf(markdown: string): Set<string> {
    const anchors = new Set<string>();
    for (const match of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
      const base = match[1]!
        .replace(/`|\*|\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-");
      let anchor = base;
      for (let i = 1; anchors.has(anchor); i++) anchor = `${base}-${i}`;
      anchors.add(anchor);
    }
    return anchors;
  }

  function withoutFences(markdown: string): string {
    return markdown.replace(/^(```+|~~~+)[\s\S]*?^\1/gm, "");
  }

  function brokenLinks(document: string, markdown: string): string[] {
    const broken: string[] = [];
    for (const match of withoutFences(markdown)
      .replace(/`[^`\n]*`/g, "")
      .matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)) {
      const link = match[1]!;
      if (/^[a-z][a-z0-9+.-]*:/.test(link)) continue;
      const [file, anchor] = link.split("#") as [string, string?];
      const target =
        file === ""
          ? document
          : path.posix.normalize(path.posix.join(path.posix.dirname(document), decodeURIComponent(file)));
      const isThere =
        files.includes(target) || files.some((other) => other.startsWith(`${target.replace(/\/$/, "")}/`));
      const hasAnchor =
        anchor === undefined ||
        !target.endsWith(".md") ||
        (isThere && anchorsOf(target === document ? markdown : read(target)).has(anchor));
      if (!isThere || !hasAnchor) broken.push(`${document}: ${link}`);
    }
    return broken;
  }

  test("link only to what is there", () => {
    expect(documents).toContain("README.md");
    expect(documents.flatMap((document) => brokenLinks(document, read(document)))).toEqual([]);
  });

  test("the rule catches a link to nothing", () => {
    expect(
      brokenLinks(
        "README.md",
        "# A b\n[a](#a-b) [b](#c) [c](nowhere.md) [d](package.json) [e](https://example.com/) `[f](x)`",
      ),
    ).toEqual(["README.md: #c", "README.md: nowhere.md"]);
  });

  test("CONTRIBUTING.md gives a reason for every dependency, and for nothing else", () => {
    const section = read("CONTRIBUTING.md").split("## Dependencies")[1]!;
    const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+?) \|/gm)].map((match) => ({
      name: match[1]!,
      reason: match[2]!,
    }));
    expect(rows.map((row) => row.name).sort()).toEqual(
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...siteManifest.dependencies }).sort(),
    );
    expect(rows.filter((row) => row.reason.length < 20)).toEqual([]);
  });
});
