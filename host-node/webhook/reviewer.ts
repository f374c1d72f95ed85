/**
 * Answers AdmissionReviews by the engine's `review`, for the two phases of admission.
 *
 * Invariant: validating answers have no patch, because an API server would treat the webhook as broken. Mutating
 * answers refuse nothing and warn of nothing: mistakes are reported once, for the object that will be stored, by the
 * API server's own validation and then by the validating phase. A profile is asked only about what is valid. After a
 * trap the engine is replaced, and only that one request fails, because no review depends on an earlier one. Leaves out
 * HTTP.
 */
import { type Engine, EngineError, ErrorCode } from "../../bindings/js/engine.ts";
import type { JsonPatchOperation } from "../../cluster/apiserver/patch/json-patch.ts";
import { REFUSED } from "../lint/finding.ts";
import type { AdmissionRequest, AdmissionResponse } from "./admission-review.ts";
import { annotating, denial, forecastText, warningsOf } from "./answer.ts";
import type { Finding } from "./finding.ts";
import { findingsOf } from "./findings.ts";
import { Forecasts } from "./forecasts.ts";
import type { Profile } from "./profile.ts";
import { type Subject, subjectOf } from "./subject.ts";

export const PHASES = ["validate", "mutate"] as const;
export type Phase = (typeof PHASES)[number];

const MAX_FIELDS = 16;
/** In the path of a field: brackets with something else than a number. */
const KEY = /\[(?!\d+\])[^\]]*\]/g;

/** The functions of an Engine that are needed here. */
export interface ReviewingEngine extends Pick<Engine, "lint" | "forecast"> {
  review(admissionReview: Uint8Array): string;
  readonly memoryBytes: number;
}

/** A summary of an answer for metrics and the log, without any content of the object. */
export interface Verdict {
  readonly uid: string;
  readonly allowed: boolean;
  /** Kind and name of the object, as the engine names them in a refusal. */
  readonly kind: string | undefined;
  readonly name: string | undefined;
  /**
   * Paths of the first fields of a refusal. Keys of maps are left out, because they are user data:
   * `metadata.labels[…]`.
   */
  readonly fields: readonly string[];
  readonly warnings: number;
  /** The rules by which the answer denies or warns, each rule once; `Refused`: it is not valid. */
  readonly rules: readonly Pick<Finding, "rule" | "action">[];
}

export type Outcome =
  | { readonly type: "answered"; readonly body: string; readonly verdict: Verdict }
  /** The input is not an AdmissionReview; `reason` says why. */
  | { readonly type: "unreadable"; readonly reason: string }
  /** The engine trapped and was replaced. */
  | { readonly type: "failed"; readonly reason: string };

/** An answer, and its sources. */
interface Answer {
  readonly response: AdmissionResponse;
  readonly findings: readonly Finding[];
}

export class Reviewer {
  readonly #createEngine: () => Promise<ReviewingEngine>;
  #engine: ReviewingEngine | undefined;

  /** The engine is made with the first review, or by `start`. */
  constructor(createEngine: () => Promise<ReviewingEngine>) {
    this.#createEngine = createEngine;
  }

  /** Creates the engine. @throws the error if that fails */
  async start(): Promise<void> {
    this.#engine ??= await this.#createEngine();
  }

  /** Linear memory of the engine; 0 while there is none. */
  get memoryBytes(): number {
    return this.#engine?.memoryBytes ?? 0;
  }

  /**
   * @param admissionReview JSON, at most MAX_REVIEW_BYTES bytes
   * @param profile undefined: only the rules of Kubernetes apply
   */
  async review(phase: Phase, admissionReview: Uint8Array, profile?: Profile): Promise<Outcome> {
    try {
      await this.start();
      const { response, ...envelope } = JSON.parse(this.#engine!.review(admissionReview)) as {
        response: AdmissionResponse;
      };
      const own = responseOf(phase, response);
      const subject = own.allowed && profile !== undefined ? subjectIn(admissionReview) : undefined;
      const answer =
        subject === undefined ? { response: own, findings: [] } : this.#profiled(phase, own, subject, profile!);
      return {
        type: "answered",
        body: JSON.stringify({ ...envelope, response: answer.response }),
        verdict: verdictOf(phase, answer),
      };
    } catch (error) {
      if (error instanceof EngineError && error.code === ErrorCode.badJson)
        return { type: "unreadable", reason: error.message };
      this.#engine = undefined;
      return { type: "failed", reason: (error as Error).message };
    }
  }

  #profiled(phase: Phase, own: AdmissionResponse, subject: Subject, profile: Profile): Answer {
    const forecasts = new Forecasts(this.#engine!, profile.disruptions);
    const forecast = (place: "warning" | "annotation"): string | undefined =>
      profile.forecast.includes(place) ? forecastText(forecasts.of(subject.job)) : undefined;
    if (phase === "mutate") return { response: annotated(own, subject, forecast("annotation")), findings: [] };
    const findings = findingsOf(this.#engine!, forecasts, subject, profile);
    const denials = findings.filter(({ action }) => action === "deny");
    if (denials.length > 0) return { response: denial(own.uid, subject, profile.name, denials), findings: denials };
    if (subject.isMade) return { response: own, findings };
    const warnings = warningsOf(own.warnings ?? [], forecast("warning"), findings);
    return { response: warnings.length === 0 ? own : { ...own, warnings }, findings };
  }
}

function annotated(own: AdmissionResponse, { annotations }: Subject, forecast: string | undefined): AdmissionResponse {
  if (forecast === undefined) return own;
  const operations = own.patch === undefined ? [] : (JSON.parse(fromBase64(own.patch)) as JsonPatchOperation[]);
  const patch = JSON.stringify(annotating(forecast, annotations, operations));
  return { ...own, patchType: "JSONPatch", patch: Buffer.from(patch).toString("base64") };
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}

function subjectIn(admissionReview: Uint8Array): Subject | undefined {
  const { request } = JSON.parse(new TextDecoder().decode(admissionReview)) as { request: AdmissionRequest };
  return subjectOf(request);
}

function responseOf(phase: Phase, { patch, patchType, ...response }: AdmissionResponse): AdmissionResponse {
  if (phase === "validate") return response;
  const isPatched = response.allowed && patch !== undefined && patchType !== undefined;
  return { uid: response.uid, allowed: true, ...(isPatched && { patchType, patch }) };
}

function verdictOf(phase: Phase, { response: { uid, allowed, status, warnings }, findings }: Answer): Verdict {
  const { kind, name, causes } = status?.details ?? {};
  if (phase === "mutate")
    return { uid, allowed: true, kind: undefined, name: undefined, fields: [], warnings: 0, rules: [] };
  const rules = allowed || findings.length > 0 ? findings : [{ rule: REFUSED, action: "deny" as const }];
  return {
    uid,
    allowed,
    kind,
    name,
    fields: causes?.slice(0, MAX_FIELDS).map(({ field }) => field.replace(KEY, "[…]")) ?? [],
    warnings: warnings?.length ?? 0,
    rules: [...new Map(rules.map(({ rule, action }) => [rule, { rule, action }])).values()],
  };
}
