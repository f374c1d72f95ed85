/**
 * docs/decisions.md as a page of the playground, with an anchor for each decision: where the page's links to a code
 * lead. Leaves out links to other documents of the repository, which are not there on a web server; their words stay.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Marked, type Tokens } from "marked";
import { anchorOf } from "./anchor.ts";

const SOURCE = path.resolve(import.meta.dirname, "../docs/decisions.md");

const escapeHtml = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** Markdown as the body of a page. */
export function renderMarkdown(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const text = this.parser.parseInline(tokens);
        return /^(#|https:)/.test(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => escapeHtml(text),
    },
  });
  return marked.parse(markdown, { async: false });
}

export function decisionsHtml(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>What the controller decides · Stint</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="document.css" />
  </head>
  <body>
    <nav aria-label="Stint"><a href="./">Stint playground</a></nav>
    <main>
    ${renderMarkdown(readFileSync(SOURCE, "utf8"))}
    </main>
  </body>
</html>
`;
}
