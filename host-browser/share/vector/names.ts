/**
 * The names in a vector: a UID there names its object. Invariant: a UID becomes the same text everywhere, and text that
 * the vector format would read as its own keywords is refused.
 */
import type { EngineRequest } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { SharedDataError } from "../fields.ts";
import type { Call } from "./calls.ts";

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const OBJECT = /"metadata":\{"name":"([^"]+)"[^{}]*?"uid":"([^"]+)"/g;
/** The format has a meaning for these. */
const WORDS = /\$name|"\$now"|"from":/;

const decoder = new TextDecoder();

export class Names {
  readonly #byUid = new Map<string, string>();

  /** @throws SharedDataError when a vector cannot express what is in the texts */
  constructor(calls: readonly Call[]) {
    const taken = new Set<string>();
    for (const call of calls) {
      if (!("text" in call)) continue;
      const word = WORDS.exec(call.text)?.[0];
      if (word !== undefined)
        throw new SharedDataError(`an object has ${word} in it, which means something else in a vector`);
      for (const [, name, uid] of call.text.matchAll(OBJECT)) {
        if (this.#byUid.has(uid!)) continue;
        let text = `uid-${name}`;
        for (let i = 2; taken.has(text); i++) text = `uid-${name}-${i}`;
        taken.add(text);
        this.#byUid.set(uid!, text);
      }
    }
  }

  /** An object, with the vector's UIDs. */
  parse(text: string): JsonObject {
    const object = JSON.parse(this.written(text)) as JsonObject;
    const { namespace = "default" } = (object["metadata"] ?? {}) as JsonObject;
    if (namespace !== "default")
      throw new SharedDataError(`a vector has the namespace default alone; here is ${String(namespace)}`);
    return object;
  }

  bodyOf({ body }: EngineRequest): JsonObject {
    return body.length === 0 ? {} : this.parse(decoder.decode(body));
  }

  written(text: string): string {
    return text.replace(UID, (uid) => this.#byUid.get(uid) ?? uid);
  }
}
