/**
 * Answers AdmissionReviews by the engine's `review`, for the two phases of admission.
 *
 * Invariant: validating answers have no patch, because an API server would treat the webhook as broken. Mutating
 * answers refuse nothing and warn of nothing: mistakes are reported once, for the object that will be stored, by the
 * API server's own validation and then by the validating phase. After a trap the engine is replaced, and only that one
 * request fails, because no review depends on an earlier one. Leaves out HTTP.
 */
import { EngineError, ErrorCode } from "../../bindings/js/engine.ts";

export const PHASES = ["validate", "mutate"] as const;
export type Phase = (typeof PHASES)[number];

const MAX_FIELDS = 16;
/** In the path of a field: brackets with something else than a number. */
const KEY = /\[(?!\d+\])[^\]]*\]/g;

/** The part of an Engine that is needed here. */
export interface ReviewingEngine {
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
}

export type Outcome =
  | { readonly type: "answered"; readonly body: string; readonly verdict: Verdict }
  /** The input is not an AdmissionReview; `reason` says why. */
  | { readonly type: "unreadable"; readonly reason: string }
  /** The engine trapped and was replaced. */
  | { readonly type: "failed"; readonly reason: string };

interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly details?: {
      readonly kind?: string;
      readonly name?: string;
      readonly causes?: readonly { readonly field: string }[];
    };
  };
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
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

  /** @param admissionReview JSON, at most MAX_REVIEW_BYTES bytes */
  async review(phase: Phase, admissionReview: Uint8Array): Promise<Outcome> {
    try {
      await this.start();
      const { response, ...envelope } = JSON.parse(this.#engine!.review(admissionReview)) as {
        response: AdmissionResponse;
      };
      return {
        type: "answered",
        body: JSON.stringify({ ...envelope, response: responseOf(phase, response) }),
        verdict: verdictOf(phase, response),
      };
    } catch (error) {
      if (error instanceof EngineError && error.code === ErrorCode.badJson)
        return { type: "unreadable", reason: error.message };
      this.#engine = undefined;
      return { type: "failed", reason: (error as Error).message };
    }
  }
}

function responseOf(phase: Phase, { patch, patchType, ...response }: AdmissionResponse): AdmissionResponse {
  if (phase === "validate") return response;
  const isPatched = response.allowed && patch !== undefined && patchType !== undefined;
  return { uid: response.uid, allowed: true, ...(isPatched && { patchType, patch }) };
}

function verdictOf(phase: Phase, { uid, allowed, status, warnings }: AdmissionResponse): Verdict {
  const { kind, name, causes } = status?.details ?? {};
  if (phase === "mutate") return { uid, allowed: true, kind: undefined, name: undefined, fields: [], warnings: 0 };
  return {
    uid,
    allowed,
    kind,
    name,
    fields: causes?.slice(0, MAX_FIELDS).map(({ field }) => field.replace(KEY, "[…]")) ?? [],
    warnings: warnings?.length ?? 0,
  };
}
