/**
 * Lists the panels of the playground, by their files: a panel is a component in host-browser/app/view/panels/, and its
 * data, if it is new, a function in host-browser/history/panels/. So a new panel changes no list by hand.
 *
 * The lists are three files, because they belong to different bundles: build/panel-names.ts, which imports nothing, so
 * that the page's state may have the name of a panel in its types; build/panel-components.ts for the page; and
 * build/panel-data.ts for the Worker, with the type of what its functions return together.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const COMPONENTS = "host-browser/app/view/panels";
const DATA = "host-browser/history/panels";
/** The name is an identifier of the lists, an id of the page, and a word of addresses. */
const NAME = /^[a-z]+$/;

/** The text of each list, by its file in build/. @param components @param data names of the panels' files */
export function panelLists(components: readonly string[], data: readonly string[]): Readonly<Record<string, string>> {
  for (const name of [...components, ...data])
    if (!NAME.test(name)) throw new Error(`the panel ${name}: the name of its file may have the letters a to z alone`);
  const names = components.map((name) => `"${name}"`);
  const returned = data.map((name) => `ReturnType<typeof ${name}>`);
  return {
    "panel-names.ts": `export const PANEL_NAMES = [${names.join(", ")}] as const;
export type PanelName = (typeof PANEL_NAMES)[number];
`,
    "panel-components.ts": `${imports("panel", components, `../${COMPONENTS}/NAME.tsx`)}
export const PANELS = { ${components.join(", ")} };
`,
    "panel-data.ts": `${imports("data", data, `../${DATA}/NAME.ts`)}
export const PANEL_DATA = [${data.join(", ")}];
export type PanelData = ${returned.join(" & ")};
`,
  };
}

function imports(exported: string, names: readonly string[], file: string): string {
  return names.map((name) => `import { ${exported} as ${name} } from "${file.replace("NAME", name)}";\n`).join("");
}

function namesIn(folder: string, extension: string): readonly string[] {
  const files = readdirSync(join(root, folder)).filter((file) => extname(file) === extension);
  return files.map((file) => basename(file, extension)).toSorted();
}

if (import.meta.main) {
  mkdirSync(join(root, "build"), { recursive: true });
  for (const [file, text] of Object.entries(panelLists(namesIn(COMPONENTS, ".tsx"), namesIn(DATA, ".ts"))))
    writeFileSync(join(root, "build", file), text);
}
