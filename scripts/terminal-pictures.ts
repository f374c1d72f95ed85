/**
 * The pictures of terminals: console blocks of documents as SVG, light and dark. `npm run pictures` writes them.
 *
 * Invariant: a picture has the text of its block, which a test runs, and nothing else; test/scripts compares both. An
 * SVG that a page shows as an image loads no font, so the text has the reader's monospaced one, stretched to the grid.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const FOLDER = "docs/pictures";

/** A picture: its name, and the block that it shows, by its page and by the command that it begins with. */
const PICTURES = [{ name: "why", page: "docs/serve.md", command: "stint why simulated-failure" }] as const;

const THEMES = {
  light: { back: "#f6f8fa", frame: "#d0d7de", text: "#1f2328", dim: "#59636e", prompt: "#1a7f37" },
  dark: { back: "#161b22", frame: "#3d444d", text: "#e6edf3", dim: "#9198a1", prompt: "#3fb950" },
} as const;
export type Theme = keyof typeof THEMES;

/** Of a character, in px; monospaced fonts have about these proportions. */
const COLUMN = 7.8;
const LINE = 19;
const FONT = 13;
const MARGIN = 16;
/** Longer lines are broken between words. */
const MAX_COLUMNS = 104;

/** Each picture's path, from the root, and its text. @throws Error for a block that is not there */
export function terminalPictures(): ReadonlyMap<string, string> {
  return new Map(
    PICTURES.flatMap(({ name, page, command }) => {
      const text = blockOf(readFileSync(path.join(root, page), "utf8"), command);
      if (text === undefined) throw new Error(`${page} has no console block with the command ${command}`);
      return (["light", "dark"] as const).map(
        (theme) => [`${FOLDER}/${name}-${theme}.svg`, terminalSvg(text, theme)] as const,
      );
    }),
  );
}

export function writeTerminalPictures(): void {
  for (const [file, svg] of terminalPictures()) {
    writeFileSync(path.join(root, file), svg);
    console.log(file);
  }
}

/** From the line with the command to the end of the block, or to the next command. */
export function blockOf(markdown: string, command: string): string | undefined {
  for (const [, block] of markdown.matchAll(/^```console\n([\s\S]*?)^```/gm)) {
    const commands = block!.split(/^(?=\$ )/m);
    const found = commands.find((one) => one.startsWith(`$ ${command}\n`));
    if (found !== undefined) return found.trimEnd();
  }
  return undefined;
}

export function terminalSvg(text: string, theme: Theme): string {
  const colours = THEMES[theme];
  const lines = text.split("\n").flatMap(broken);
  const columns = Math.max(...lines.map((line) => line.length));
  const [width, height] = [Math.ceil(columns * COLUMN) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const rows = lines.map((line, i) => {
    const at = `x="${MARGIN}" y="${MARGIN + i * LINE + FONT}"`;
    return `  <text ${at} textLength="${(line.length * COLUMN).toFixed(1)}"${styleOf(line, colours)}>${escape(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}">`,
    `  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colours.back}"`,
    `    stroke="${colours.frame}"/>`,
    ...rows.filter((row) => !row.endsWith("></text>")),
    "</svg>",
    "",
  ].join("\n");
}

function styleOf(line: string, { text, dim, prompt }: (typeof THEMES)[Theme]): string {
  const fill = line.startsWith("$ ") ? prompt : /^ +(│|TIME |more:)/.test(line) ? dim : text;
  const isHeading = /^(\$ |job )/.test(line);
  return ` xml:space="preserve" fill="${fill}"${isHeading ? ' font-weight="bold"' : ""}`;
}

/** A line in pieces that fit, the further ones indented. */
function broken(line: string): string[] {
  if (line.length <= MAX_COLUMNS) return [line];
  const indent = `${/^ */.exec(line)![0]}    `;
  const end = line.lastIndexOf(" ", MAX_COLUMNS);
  if (end <= indent.length) return [line];
  return [line.slice(0, end), ...broken(indent + line.slice(end + 1))];
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
