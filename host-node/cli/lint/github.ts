/** Findings as workflow commands of GitHub Actions, which annotate the lines of a pull request. */
import { sayingOf } from "./finding.ts";
import type { LintResult } from "./report.ts";

export function githubReport({ findings }: LintResult): string {
  return findings
    .map((finding) => {
      const { position, code, severity, fix } = finding;
      const { file, line, column } = position;
      const command = severity === "warn" ? "warning" : "error";
      const properties = { file, line, col: column, title: code };
      const text = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
      const message = `${sayingOf(finding)}${fix === "" ? "" : `\nfix: ${fix}`}`;
      return `::${command} ${text.join(",")}::${data(message)}\n`;
    })
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
