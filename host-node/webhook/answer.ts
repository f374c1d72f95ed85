/**
 * The findings about a Job, in the form of an API server: a Status with a cause for each denial, warnings, and an
 * annotation.
 *
 * Invariant: warnings keep to the limits of an API server: it cuts each at 256 characters when all together have more
 * than 4,096, and drops the excess. Its own and those of other webhooks count, too.
 */
import type { Forecast } from "../../bindings/js/engine.ts";
import type { JsonPatchOperation } from "../../cluster/apiserver/patch/json-patch.ts";
import { NEVER_MS, spanText } from "../../cluster/values/time-span.ts";
import type { Loose } from "../manifests/job-in.ts";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import type { AdmissionResponse, StatusCause } from "./admission-review.ts";
import type { Finding } from "./finding.ts";

export const MAX_WARNINGS = 12;
export const MAX_WARNING_CHARACTERS = 256;
export const FORECAST_ANNOTATION = "stint.dev/forecast";
const UNPROCESSABLE = 422;

/** The denial of an object, in the form of the API server's for an invalid one. */
export function denial(
  uid: string,
  { kind, name }: { readonly kind: string; readonly name: string },
  profile: string,
  findings: readonly Finding[],
): AdmissionResponse {
  const causes = findings.map(({ rule, field, sentence, fix }): StatusCause => {
    const source = fix === undefined ? "" : `. Fix: ${fix} (${rule}, profile ${profile})`;
    return { reason: "FieldValueForbidden", message: `Forbidden: ${printable(sentence + source)}`, field };
  });
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return {
    uid,
    allowed: false,
    status: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `${kind}.batch "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`,
      reason: "Invalid",
      details: { name, group: "batch", kind, causes },
      code: UNPROCESSABLE,
    },
  };
}

/** The warnings of an answer: `own` come first, and all are cut to the limits of an API server. */
export function warningsOf(
  own: readonly string[],
  forecast: string | undefined,
  findings: readonly Finding[],
): string[] {
  const all = [
    ...own,
    ...(forecast === undefined ? [] : [`forecast: ${forecast}`]),
    ...findings.map(({ rule, sentence }) => `${rule}: ${sentence}`),
  ].map(warningText);
  if (all.length <= MAX_WARNINGS) return all;
  const shown = all.slice(0, MAX_WARNINGS - 1);
  return [...shown, `and ${all.length - shown.length} more: stint lint shows all`];
}

function warningText(text: string): string {
  const line = printable(text);
  return line.length <= MAX_WARNING_CHARACTERS ? line : `${line.slice(0, MAX_WARNING_CHARACTERS - 1)}…`;
}

/** `66 pods at most, gives up after 10 min 30 s, ends within 1 h 30 s`. */
export function forecastText({ from, pods, retries, end }: Forecast): string {
  const { least, most } = pods;
  const isEndless = (retries.givesUpMs ?? 0) > NEVER_MS;
  const amount = isEndless
    ? `no limit of pods that is reached in 100 years (${retries.by})`
    : most.value === null
      ? `no limit of pods (${most.by})`
      : `${counted(most.value, "pod")}${least.value === most.value ? "" : " at most"}`;
  const parts = [
    amount,
    ...(retries.givesUpMs === null || isEndless ? [] : [`gives up after ${spanText(retries.givesUpMs)}`]),
    ...(end.latestMs.value === null || end.latestMs.value > NEVER_MS
      ? []
      : [`ends within ${spanText(end.latestMs.value)}`]),
  ];
  return `${from === "resumption" ? "once resumed: " : ""}${parts.join(", ")}`;
}

/** The operations that put a text into the forecast's annotation, after the others of the patch. */
export function annotating(
  text: string,
  annotations: Loose | undefined,
  patch: readonly JsonPatchOperation[],
): JsonPatchOperation[] {
  const path = "/metadata/annotations";
  const isThere = annotations !== undefined || patch.some((operation) => operation.path === path);
  return [
    ...patch,
    isThere
      ? { op: "add", path: `${path}/${FORECAST_ANNOTATION.replace("/", "~1")}`, value: text }
      : { op: "add", path, value: { [FORECAST_ANNOTATION]: text } },
  ];
}
