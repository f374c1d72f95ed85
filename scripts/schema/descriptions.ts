/**
 * What the models of @kubernetes/client-node say about a struct in their comments, which are the descriptions of the
 * published OpenAPI, and which fields they declare as required. The comments have lost their line breaks, and fields
 * whose type is a struct have none: there the description of the struct has to do.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as models from "@kubernetes/client-node";
import { isGone, newFieldsOf, type OwnField, ownFieldsOf, ownModels } from "./own-models.ts";

export interface Description {
  readonly text: string;
  /** By the names in JSON. Fields without a comment are left out. */
  readonly fields: Readonly<Record<string, string>>;
  readonly required: readonly string[];
}

type Model = { getAttributeTypeMap(): readonly { readonly name: string; readonly baseName: string }[] };

const CLASS = /(?:\/\*\*\n\* (.*)\n\*\/\n)?export declare class /;
const FIELD = /^(?: {4}\/\*\*\n {4}\* (.*)\n {4}\*\/\n)? {4}'(\S+)'(\?)?: /gm;
const folder = new URL("gen/models/", import.meta.resolve("@kubernetes/client-node"));

/** @returns undefined if neither the library nor own-models.ts has such a model */
export function describe(className: string): Description | undefined {
  const own = ownFieldsOf(className);
  if (own !== undefined) return { text: ownModels[className]!.text, ...describeFields(own) };
  const model = describeModel(className);
  const added = describeFields(newFieldsOf(className));
  return (
    model && {
      text: model.text,
      fields: { ...model.fields, ...added.fields },
      required: [...model.required.filter((field) => !isGone(className, field)), ...added.required],
    }
  );
}

function describeFields(fields: readonly OwnField[]): Omit<Description, "text"> {
  return {
    fields: Object.fromEntries(fields.filter(({ text }) => text !== "").map(({ name, text }) => [name, text])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function describeModel(className: string): Description | undefined {
  const file = fileURLToPath(new URL(`${className}.d.ts`, folder));
  if (!existsSync(file)) return undefined;
  const source = readFileSync(file, "utf8");
  const model = (models as unknown as Record<string, Model>)[className]!;
  const jsonNames = new Map(model.getAttributeTypeMap().map(({ name, baseName }) => [name, baseName]));
  const fields: Record<string, string> = {};
  const required: string[] = [];
  for (const [, comment, name, isOptional] of source.matchAll(FIELD)) {
    const jsonName = jsonNames.get(name!)!;
    if (comment !== undefined) fields[jsonName] = unescape(comment);
    if (isOptional === undefined) required.push(jsonName);
  }
  return { text: unescape(CLASS.exec(source)?.[1] ?? ""), fields, required };
}

function unescape(comment: string): string {
  return comment.replaceAll(/\\(.)/g, "$1").trim();
}
