/** What `stint replay` finds in a recording, as documents. */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { Document } from "../json/document.ts";

/** How a recording of a run went on this program's engine. */
export interface ReplayReport extends Document<"ReplayReport"> {
  readonly file: string;
  /** The engine made the same requests, as far as the recording goes. */
  readonly isSame: boolean;
  /** Null: there is none. */
  readonly difference: { readonly line: number; readonly sentence: string } | null;
  /** The recording has its end: it was not cut off. */
  readonly isWhole: boolean;
  readonly calls: number;
  readonly requests: number;
  /** How many decisions were made. */
  readonly decided: number;
  /** With --explain or --job: those that are shown. */
  readonly decisions?: readonly Decision[] | undefined;
}

/** What a controller's flight recorder has kept. */
export interface FlightReport extends Document<"FlightReport"> {
  readonly file: string;
  readonly segments: number;
  /** In ms since 1970; null: nothing happened. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** How many objects changed. */
  readonly changes: number;
  readonly requests: number;
  /** How many of the requests the API server refused. */
  readonly refused: number;
  readonly decided: number;
  /** Calls of the engine that were not recorded. */
  readonly lost: number;
  /** False: it ends in the middle. */
  readonly isWhole: boolean;
  /** With --explain or --job: what happened, in its order. */
  readonly happened?: readonly FlightEvent[] | undefined;
}

/** A decision, a request that was refused, or a gap. */
export interface FlightEvent {
  readonly atMs: number;
  readonly sentence: string;
  /** Null: it is none. */
  readonly decision: Decision | null;
}
