/**
 * Parses the Accept headers that kubectl and other tools send: several forms with their qualities, Tables, metadata
 * alone, and the error for forms that the server does not know. The requests of controllers need none of it
 * (negotiate.ts).
 */
import type { Output, Transform } from "../contract/output.ts";
import type { Verb } from "../contract/context.ts";
import { failure } from "../contract/status-errors.ts";

interface Clause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const available = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const availableForWatch = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
const transforms: readonly string[] = [
  "Table",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
] satisfies Transform[];

/** @throws ApiError 406 */
export function readAccept(accept: string, isIndented: boolean, verb: Verb): Output {
  const isWatch = verb === "watch";
  const clauses = parseAccept(accept);
  const fitting = clauses.filter(
    (clause) =>
      clause.mediaType === "application/json" || clause.mediaType === "*/*" || clause.mediaType === "application/yaml",
  );
  if (fitting.length === 0 && !clauses.some((clause) => clause.mediaType === "application/vnd.kubernetes.protobuf")) {
    throw failure({
      code: 406,
      reason: "NotAcceptable",
      message: `406: Not Acceptable\n\nAvailable representations: ${available}${isWatch || verb === "list" ? `, ${availableForWatch}` : ""}`,
      details: {},
      isIndented: true,
    });
  }
  const chosen = fitting.find((clause) => isSupported(clause) && !(isWatch && clause.mediaType === "application/yaml"));
  if (!chosen) {
    throw failure({
      code: 406,
      reason: "NotAcceptable",
      message: `only the following media types are accepted: ${isWatch ? availableForWatch : available}`,
      isIndented: true,
    });
  }
  const transform = chosen.parameters.get("as") as Transform | undefined;
  return {
    transform,
    metaVersion: chosen.parameters.get("v") === "v1beta1" ? "v1beta1" : "v1",
    mediaType: chosen.mediaType === "application/yaml" ? "application/yaml" : "application/json",
    isIndented,
    indentsErrors: fitting.every((clause) => clause.parameters.has("as")),
  };
}

function isSupported({ parameters }: Clause): boolean {
  const as = parameters.get("as");
  if (as === undefined) return true;
  const version = parameters.get("v");
  return (
    transforms.includes(as) && parameters.get("g") === "meta.k8s.io" && (version === "v1" || version === "v1beta1")
  );
}

export function parseAccept(accept: string): Clause[] {
  const text = accept.trim() === "" ? "application/json" : accept;
  const clauses = text.split(",").map((part) => {
    const [mediaType = "", ...rest] = part.split(";").map((piece) => piece.trim());
    const parameters = new Map(
      rest.map((piece) => {
        const [name = "", value = ""] = piece.split("=");
        return [name.trim(), value.trim()] as const;
      }),
    );
    const quality = Number(parameters.get("q") ?? 1);
    return { mediaType, parameters, quality: Number.isNaN(quality) ? 1 : quality };
  });
  return clauses.toSorted((a, b) => b.quality - a.quality);
}
