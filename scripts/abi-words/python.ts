/** The words of the ABI as bindings/python/src/stint/abi.py. */
import { constantCase, MAX_COLUMNS, ORIGIN, wrapped } from "./prose.ts";
import type { AbiWords, Member, MemberType } from "./read.ts";

const INDENT = "    ";

export function pythonOf(words: AbiWords): string {
  return [
    documentation(
      `The words of the ABI, for Python. Written by ${ORIGIN}: change them there. engine.py has the calls.`,
    ),
    "",
    "from enum import IntEnum, StrEnum",
    "from typing import Final, Literal, NotRequired, TypedDict",
    "",
    `ABI_VERSION: Final = ${words.majorVersion}`,
    documentation("The ABI that this binding speaks. Another major version is refused; a newer minor one is fine."),
    "",
    `MAX_REVIEW_BYTES: Final = ${words.maxReviewBytes}`,
    documentation(
      "The most bytes that one review may have. There is room for two objects of the largest size that etcd takes.",
    ),
    "",
    `METHODS: Final = (${words.methods.map((name) => JSON.stringify(name)).join(", ")})`,
    documentation("Methods of requests, by number."),
    ...declaration("IngestKind(IntEnum)", "What the bytes passed to `Engine.ingest` are."),
    ...words.ingestKinds.flatMap(({ name, number, meaning }) => [
      `${INDENT}${constantCase(name)} = ${number}`,
      inside(meaning),
    ]),
    ...declaration("ErrorCode(IntEnum)", "The return codes. A newer engine may return others: they are refusals, too."),
    ...words.errorCodes.flatMap(({ name, number, meaning }) => [
      `${INDENT}${constantCase(name)} = ${number}`,
      inside(meaning),
    ]),
    ...declaration("Source(TypedDict)", "One stream that feeds the engine."),
    ...words.source.flatMap(member),
    ...declaration(
      "EngineConstants(TypedDict, total=False)",
      "Upstream's constants; one that is left out has upstream's value.",
    ),
    ...words.constants.flatMap(({ name, meaning }) => [`${INDENT}${name}: int`, inside(meaning)]),
    ...declaration("EngineConfiguration(TypedDict)", "Who an engine is."),
    ...words.configuration.flatMap(member),
    ...declaration("DecisionCode(StrEnum)", "What a decision may say; a newer engine may say more."),
    ...words.decisionCodes.flatMap(({ name, meaning }) => [
      `${INDENT}${constantCase(name)} = "${name}"`,
      inside(meaning),
    ]),
    ...declaration(
      "ExplainCode(StrEnum)",
      "What `explain` may say beside the codes of decisions; a newer engine may say more.",
    ),
    ...words.explainCodes.flatMap(({ name, meaning }) => [
      `${INDENT}${constantCase(name)} = "${name}"`,
      inside(meaning),
    ]),
    ...declaration("VerdictWord(StrEnum)", "What `verdict` may say of a Job."),
    ...words.verdicts.flatMap(({ name, meaning }) => [`${INDENT}${constantCase(name)} = "${name}"`, inside(meaning)]),
    ...declaration(
      "VerdictReason(StrEnum)",
      "The reasons of a verdict that no condition and no pod gives; a newer engine may say more.",
    ),
    ...words.verdictReasons.flatMap(({ name, meaning }) => [
      `${INDENT}${constantCase(name)} = "${name}"`,
      inside(meaning),
    ]),
    ...declaration("EndCode(StrEnum)", "Who or what ended an attempt, by `account`; a newer engine may say more."),
    ...words.endCodes.flatMap(({ name, meaning }) => [`${INDENT}${constantCase(name)} = "${name}"`, inside(meaning)]),
    ...declaration("HoldCode(StrEnum)", "What holds a Job, by `account`; a newer engine may say more."),
    ...words.holdCodes.flatMap(({ name, meaning }) => [`${INDENT}${constantCase(name)} = "${name}"`, inside(meaning)]),
    ...declaration("LintCode(StrEnum)", "The rules of `lint`; a newer engine may have more."),
    ...words.lintCodes.flatMap(({ name, meaning }) => [`${INDENT}${constantCase(name)} = "${name}"`, inside(meaning)]),
    "",
  ].join("\n");
}

function declaration(head: string, meaning: string): string[] {
  return ["", "", `class ${head}:`, inside(meaning), ""];
}

function member({ name, type, isOptional, meaning }: Member): string[] {
  return [`${INDENT}${name}: ${isOptional ? `NotRequired[${typeOf(type)}]` : typeOf(type)}`, inside(meaning)];
}

function typeOf(type: MemberType): string {
  if (typeof type !== "string") return `Literal[${type.map((value) => JSON.stringify(value)).join(", ")}]`;
  return { string: "str", boolean: "bool", number: "int", sources: "list[Source]", constants: "EngineConstants" }[type];
}

function inside(text: string): string {
  return documentation(text, INDENT);
}

function documentation(text: string, indent = ""): string {
  const line = `${indent}"""${text}"""`;
  if (line.length <= MAX_COLUMNS) return line;
  // The quotes precede the first line; after the last they are on a separate line.
  const [first, ...others] = wrapped(`"""${text}`, indent);
  return [first, ...others, `${indent}"""`].join("\n");
}
