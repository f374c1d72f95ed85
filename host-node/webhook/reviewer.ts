/**
 * Answers AdmissionReviews by the engine's `review`, for the two phases of admission.
 *
 * Invariant: validating answers have no patch, which an API server would take for a broken webhook. Mutating ones
 * refuse nothing and warn of nothing: what is wrong is said once, by whoever looks at the object that will be stored
 * (the API server's own validation, then the validating phase). After a trap the engine is replaced, and nothing but
 * that one request fails: a review leaves nothing behind in an engine that a later one would need. Leaves out HTTP.
 */
import { EngineError, ErrorCode } from "../../bindings/js/engine.ts";

export const PHASES = ["validate", "mutate"] as const;
export type Phase = (typeof PHASES)[number];

/** Bytes of a review that the engine reads: two objects of the largest size that etcd takes, written generously. */
export const MAX_REVIEW_BYTES = 8 * 1024 * 1024;

const MAX_FIELDS = 16;
/** In the path of a field: brackets with something else than a number. */
const KEY = /\[(?!\d+\])[^\]]*\]/g;

/** What is needed of an Engine. */
export interface ReviewingEngine {
  review(admissionReview: Uint8Array): string;
  readonly memoryBytes: number;
}

/** What an answer says, for metrics and the log: no content of the object. */
export interface Verdict {
  readonly uid: string;
  readonly allowed: boolean;
  /** Of the object, as the engine names them in a refusal. */
  readonly kind: string | undefined;
  readonly name: string | undefined;
  /**
   * Paths of the first fields that a refusal is about, without keys of maps, which are somebody's data:
   * `metadata.labels[…]`.
   */
  readonly fields: readonly string[];
  readonly warnings: number;
}

export type Outcome =
  | { readonly type: "answered"; readonly body: string; readonly verdict: Verdict }
  /** The input is no AdmissionReview: `reason` says what is wrong with it. */
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

  /** Makes the engine. @throws whatever prevents it */
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
