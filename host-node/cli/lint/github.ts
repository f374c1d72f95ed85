/** Findings as workflow commands of GitHub Actions, which annotate the lines of a pull request. */
import { githubCommand } from "../output/github-command.ts";
import { sayingOf } from "../../lint/finding.ts";
import type { LintResult } from "./result.ts";

export function githubReport({ findings }: LintResult): string {
  return findings
    .map((finding) => {
      const { position, code, severity, fix } = finding;
      const { file, line, column } = position;
      const properties = { file, line, col: column, title: code };
      const message = `${sayingOf(finding)}${fix === "" ? "" : `\nfix: ${fix}`}`;
      return githubCommand(severity === "warn" ? "warning" : "error", properties, message);
    })
    .join("");
}
