/** Screens as HTML: a block a screen, with the colours of a light or a dark terminal. */
import type { Line, Run, Screen } from "./screen.ts";

export type Theme = "light" | "dark";

export interface Taken {
  readonly line: string;
  readonly screen: Screen;
}

/** As Visual Studio Code has them: the usual and the bright colours from 30 and 90 on. */
const THEMES: Readonly<Record<Theme, { back: string; text: string; usual: string[]; bright: string[] }>> = {
  light: {
    back: "#ffffff",
    text: "#3b3b3b",
    usual: ["#000000", "#cd3131", "#107c10", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555"],
    bright: ["#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5"],
  },
  dark: {
    back: "#1e1e1e",
    text: "#cccccc",
    usual: ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"],
    bright: ["#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5"],
  },
};

/** A page of screens; a mark at the edge shows where the terminal, and not the command, has broken a line. */
export function screensPage(taken: readonly Taken[], columns: number, theme: Theme): string {
  const { back, text } = THEMES[theme];
  const blocks = taken.map(({ line, screen }) => {
    const lines = screen.lines.map((one) => lineHtml(one, theme)).join("\n");
    return `<p>$ ${escaped(line)}</p><pre>${lines}</pre>`;
  });
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 12px; background: ${back}; color: ${text}; columns: 2 ${columns + 4}ch; width: ${2 * columns + 12}ch; }
body, pre, p { font: 13px/17px "DejaVu Sans Mono", monospace; margin: 0; }
pre { width: ${columns}ch; padding: 0 14px 0 2px; border: 1px solid #8885; margin-bottom: 14px; }
p { color: #888; max-width: ${columns}ch; }
b.full { color: #fff; background: #e00; }
</style>${blocks.join("\n")}`;
}

function lineHtml({ runs, isFull }: Line, theme: Theme): string {
  return `${runs.map((run) => runHtml(run, theme)).join("")}${isFull ? '<b class="full">↩</b>' : ""}`;
}

function runHtml({ text, colour, isBold, isDim }: Run, theme: Theme): string {
  const { usual, bright } = THEMES[theme];
  const styles = [
    colour === undefined ? "" : `color:${colour < 90 ? usual[colour - 30] : bright[colour - 90]}`,
    isBold ? "font-weight:bold" : "",
    isDim ? "opacity:0.6" : "",
  ].filter((style) => style !== "");
  return styles.length === 0 ? escaped(text) : `<span style="${styles.join(";")}">${escaped(text)}</span>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
