/** Findings as SARIF 2.1.0, which code scanners of forges show. */
import texts from "./rule-texts.json" with { type: "json" };
import { type Finding, REFUSED, sayingOf } from "../../lint/finding.ts";
import type { LintResult } from "./result.ts";
import { document } from "../../words/document.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const RULES = [
  ...Object.entries(texts).map(([code, { meaning, severity }]) => ({ code, meaning, level: levelOf(severity) })),
  { code: REFUSED, meaning: "The API server would refuse the Job.", level: "error" },
];

export function sarifReport({ findings, version }: LintResult): string {
  const rules = RULES.map(({ code, meaning, level }) => ({
    id: code,
    shortDescription: { text: meaning },
    fullDescription: { text: meaning },
    help: { text: `${document("docs/lint.md")} says what ${code} means and what to do.` },
    defaultConfiguration: { level },
  }));
  const run = {
    tool: { driver: { name: "stint", version, semanticVersion: version, rules } },
    columnKind: "utf16CodeUnits",
    results: findings.map(resultOf),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function resultOf(finding: Finding): object {
  const { position, target, code, severity, fix } = finding;
  return {
    ruleId: code,
    ruleIndex: RULES.findIndex((rule) => rule.code === code),
    level: levelOf(severity),
    message: { text: `${sayingOf(finding)}.${fix === "" ? "" : ` Fix: ${fix}.`}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(position.file) },
          region: { startLine: position.line, startColumn: position.column },
        },
        logicalLocations: [
          { fullyQualifiedName: `${target.kind} ${target.namespace}/${target.name}`, kind: "resource" },
        ],
      },
    ],
  };
}

function levelOf(severity: string): "warning" | "error" {
  return severity === "warn" ? "warning" : "error";
}

/** A path as a reference. A colon before the first slash would begin a scheme. */
function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path === "" ? "." : path;
}
