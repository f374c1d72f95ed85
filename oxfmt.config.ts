/** How oxfmt formats the sources, and what it leaves alone. */
import { defineConfig } from "oxfmt";

export default defineConfig({
  printWidth: 120,
  quoteProps: "preserve",
  ignorePatterns: [
    // Vectors and manifests are data, laid out by who wrote them; documents are filled to 120 columns by hand.
    "**/*.{json,jsonc,md,toml,yaml,yml}",
    // One decision a line, however long: a table.
    "assembly/trace/decisions.ts",
    // TypeScript knows no decorators of functions; the text of intervals is a tenth slower without @inline.
    "assembly/intervals/interval-text.ts",
  ],
});
