/** The inputs and requests of an engine, call by call: a vector is made of them. */
import type { Engine, EngineRequest, IngestKind } from "../../../bindings/js/engine.ts";
import type { RecordableEngine } from "../../../bindings/js/recorder.ts";

export type Call =
  /** A new engine: the controller starts. */
  | { readonly call: "configure"; readonly sources: readonly { readonly id: number; readonly resource: string }[] }
  | {
      readonly call: "ingest";
      readonly now: number;
      readonly source: number;
      readonly kind: IngestKind;
      readonly text: string;
    }
  | {
      readonly call: "poll";
      readonly now: number;
      readonly room: number;
      readonly requests: readonly EngineRequest[];
    }
  | {
      readonly call: "settle";
      readonly now: number;
      readonly id: number;
      readonly status: number;
      readonly retryAfterMs: number;
      readonly text: string;
    };

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array | string): string => (typeof bytes === "string" ? bytes : decoder.decode(bytes));

/** Wraps the engines of a run, one after another. */
export class CallLog {
  readonly calls: Call[] = [];
  /** Characters of all inputs. */
  length = 0;
  #engine: Engine | undefined;

  record(engine: Engine): RecordableEngine {
    const note = (call: Call): void => {
      // One that was replaced may still get answers.
      if (engine !== this.#engine) return;
      this.calls.push(call);
      if ("text" in call) this.length += call.text.length;
    };
    return {
      configure: (configuration) => {
        engine.configure(configuration);
        this.#engine = engine;
        note({ call: "configure", sources: configuration.sources ?? [] });
      },
      setClockOffset: (offsetMs) => engine.setClockOffset(offsetMs),
      ingest: (source, kind, bytes, now) => {
        note({ call: "ingest", now, source, kind, text: textOf(bytes) });
        return engine.ingest(source, kind, bytes, now);
      },
      settle: (id, status, retryAfterMs, body, now) => {
        note({ call: "settle", now, id, status, retryAfterMs, text: textOf(body) });
        return engine.settle(id, status, retryAfterMs, body, now);
      },
      poll: (now, room) => {
        const result = engine.poll(now, room);
        note({ call: "poll", now, room, requests: result.requests });
        return result;
      },
      watchVersion: (source) => engine.watchVersion(source),
      listContinue: (source) => engine.listContinue(source),
    };
  }
}
