/** The question to a webhook, and its answer: types only. pending-review.ts decides when to call it. */
import type { JsonObject } from "../../values/types.ts";

/** Where a webhook listens. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port: number;
  };
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

/** A question for one webhook. */
export interface Call {
  /** The same for the same question. */
  readonly key: string;
  readonly client: ClientConfig;
  readonly timeoutSeconds: number;
  /** An AdmissionReview. */
  readonly review: { readonly request: { readonly uid: string } };
}

/** A webhook's answer; or why there is none, in the words of the API server's client. */
export type CallAnswer = { readonly review: JsonObject } | { readonly failure: string };

/** The answers by the keys of their calls, each with the uid of the review that was sent. */
export type ReviewAnswers = ReadonlyMap<string, CallAnswer & { readonly uid: string }>;
