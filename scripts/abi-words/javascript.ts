/** The words of the ABI as bindings/js/abi.ts; oxfmt formats what this writes. */
import { capitalized, MAX_COLUMNS, ORIGIN, wordsOf, wrapped } from "./prose.ts";
import type { AbiWords, Member, MemberType } from "./read.ts";

export function javaScriptOf(words: AbiWords): string {
  return [
    comment(`The words of the ABI, for JavaScript. Written by ${ORIGIN}: change them there. engine.ts has the calls.`),
    "",
    comment(`The ABI that this binding speaks. Another major version is refused; a newer minor one is fine.`),
    `export const ABI_VERSION = ${words.majorVersion};`,
    "",
    comment(
      "The most bytes that one review may have. There is room for two objects of the largest size that etcd takes.",
    ),
    `export const MAX_REVIEW_BYTES = ${words.maxReviewBytes};`,
    "",
    comment("What the bytes passed to `ingest` are."),
    constants(
      "IngestKind",
      words.ingestKinds.map(({ name, number, meaning }) => [camelCase(name), number, meaning]),
    ),
    "",
    comment("The return codes. `last_error` says more. A newer engine may return others: they are refusals, too."),
    constants(
      "ErrorCode",
      words.errorCodes.map(({ name, number, meaning }) => [name, number, meaning]),
    ),
    "",
    comment("Methods of requests, by number."),
    `export const METHODS = ${JSON.stringify(words.methods)} as const;`,
    `export type Method = Exclude<(typeof METHODS)[number], "">;`,
    "",
    comment("One stream that feeds the engine."),
    `export interface EngineSource {\n${words.source.map(field).join("\n")}\n}`,
    "",
    comment("Upstream's constants; one that is left out has upstream's value."),
    "export interface EngineConstants {",
    ...words.constants.map(({ name, meaning }) => `${comment(meaning, "  ")}\n${name}: number;`),
    "}",
    "",
    comment("Who an engine is."),
    `export interface EngineConfiguration {\n${words.configuration.map(field).join("\n")}\n}`,
    "",
    ...answers(words),
    "",
  ].join("\n");
}

/** The words of what the engine returns, a table each. */
function answers(words: AbiWords): readonly string[] {
  return [
    comment("What a decision may say; a newer engine may say more."),
    constants(
      "DecisionCode",
      words.decisionCodes.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("What `explain` may say beside the codes of decisions; a newer engine may say more."),
    constants(
      "ExplainCode",
      words.explainCodes.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("What `verdict` may say of a Job."),
    constants(
      "VerdictWord",
      words.verdicts.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("The reasons of a verdict that no condition and no pod gives; a newer engine may say more."),
    constants(
      "VerdictReason",
      words.verdictReasons.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("Who or what ended an attempt, by `account`; a newer engine may say more."),
    constants(
      "EndCode",
      words.endCodes.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("What holds a Job, by `account`; a newer engine may say more."),
    constants(
      "HoldCode",
      words.holdCodes.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
    "",
    comment("The rules of `lint`; a newer engine may have more."),
    constants(
      "LintCode",
      words.lintCodes.map(({ name, meaning }) => [name, JSON.stringify(name), meaning]),
    ),
  ];
}

function constants(type: string, entries: readonly (readonly [string, string | number, string])[]): string {
  const lines = entries.map(([name, value, meaning]) => `${comment(meaning, "  ")}\n${name}: ${value},`);
  return `export const ${type} = {\n${lines.join("\n")}\n} as const;\nexport type ${type} = (typeof ${type})[keyof typeof ${type}];`;
}

function field(member: Member): string {
  const indent = "  ";
  return `${comment(member.meaning, indent)}\nreadonly ${member.name}${member.isOptional ? "?" : ""}: ${typeOf(member.type)};`;
}

function typeOf(type: MemberType): string {
  if (typeof type !== "string") return type.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "sources") return "readonly EngineSource[]";
  return type === "constants" ? "Readonly<Partial<EngineConstants>>" : type;
}

function comment(text: string, indent = ""): string {
  const line = `${indent}/** ${text} */`;
  if (line.length <= MAX_COLUMNS) return line;
  return [`${indent}/**`, ...wrapped(text, `${indent} * `), `${indent} */`].join("\n");
}

function camelCase(name: string): string {
  const [first, ...others] = wordsOf(name);
  return first + others.map(capitalized).join("");
}
