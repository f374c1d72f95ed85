/**
 * A hash of everything that a run wrote and decided, in its order: 64 bits, as hexadecimal digits. Two runs with equal
 * digests were the same run. It is cheap, and not collision-resistant: a crafted run can match another.
 *
 * Source of the mixing: cyrb53 by bryc, in the public domain.
 */
import type { Decision } from "../../bindings/js/engine.ts";
import type { Write } from "../apiserver/server.ts";
import type { ContainerStateTerminated, JobStatus, PodSpec, PodStatus } from "../values/kinds.ts";

const COMMA = ",".charCodeAt(0);
const LOW_FACTOR = 2654435761;
const HIGH_FACTOR = 1597334677;

/** What of a pod or a Job is mixed. */
interface Counted {
  readonly spec?: Pick<PodSpec, "nodeName">;
  readonly status?: Partial<PodStatus & JobStatus>;
}

/** What of a write is mixed. */
interface Written extends Pick<Write, "resource" | "type" | "revision" | "object"> {
  readonly stored: { readonly key: string };
}

export class Digest {
  #low = 0xdeadbeef;
  #high = 0x41c6ce57;

  /** Adds the object's key, revision, time, and status. Events have no status, so it is skipped for them. */
  write(write: Written, nowMs: number): void {
    const { resource, type, revision } = write;
    const { key } = write.stored;
    const slash = key.indexOf("/");
    this.#text(resource);
    this.#text(type);
    this.#text(slash < 0 ? "" : key.slice(0, slash));
    this.#text(key.slice(slash + 1));
    this.#number(revision);
    this.#number(nowMs);
    if (resource !== "events") this.#status(write.object as Counted);
  }

  /** The status of pods and Jobs, without texts that grow with them. */
  #status({ spec, status }: Counted): void {
    if (status === undefined) return;
    const { phase, active, ready, terminating, succeeded, failed } = status;
    const counts = [active ?? "", ready ?? "", terminating ?? "", succeeded ?? "", failed ?? ""];
    this.#list(spec?.nodeName ?? "", phase ?? "", ...counts);
    for (const { type, status: is, reason } of status.conditions ?? [])
      this.#three(String(type), String(is), String(reason));
    for (const list of [status.initContainerStatuses, status.containerStatuses])
      for (const { restartCount, state } of list ?? []) {
        const { exitCode, reason }: Partial<ContainerStateTerminated> = state?.terminated ?? state?.waiting ?? {};
        this.#three(String(restartCount), String(exitCode), String(reason));
      }
  }

  decisions(decisions: readonly Decision[]): void {
    for (const { atMs, namespace, job, code, message } of decisions) {
      this.#number(atMs);
      this.#text(namespace);
      this.#text(job);
      this.#text(code);
      this.#text(message);
    }
  }

  bytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.#mix(byte);
  }

  /** 16 hexadecimal digits. More may be added afterwards. */
  hex(): string {
    let low = Math.imul(this.#low ^ (this.#low >>> 16), 2246822507);
    low ^= Math.imul(this.#high ^ (this.#high >>> 13), 3266489909);
    let high = Math.imul(this.#high ^ (this.#high >>> 16), 2246822507);
    high ^= Math.imul(this.#low ^ (this.#low >>> 13), 3266489909);
    return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
  }

  /** The length makes `ab`, `c` and `a`, `bc` differ. */
  #text(text: string): void {
    this.#mix(text.length);
    this.#characters(text);
  }

  /** As `#mix` of each character, with the state in local variables: a run has hundreds of characters for each pod. */
  #characters(text: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < text.length; i++) {
      const value = text.charCodeAt(i);
      low = Math.imul(low ^ value, LOW_FACTOR);
      high = Math.imul(high ^ value, HIGH_FACTOR);
    }
    this.#low = low;
    this.#high = high;
  }

  /** Mixes the text of the values with commas between them. */
  #list(...values: readonly unknown[]): void {
    this.#text(values.join());
  }

  /** As `#list` of three values, without building the text: each write of a pod has six. */
  #three(first: string, second: string, third: string): void {
    this.#mix(first.length + second.length + third.length + 2);
    this.#characters(first);
    this.#mix(COMMA);
    this.#characters(second);
    this.#mix(COMMA);
    this.#characters(third);
  }

  /** A whole number below 2^53. */
  #number(value: number): void {
    this.#mix(value | 0);
    this.#mix((value / 2 ** 32) | 0);
  }

  #mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, LOW_FACTOR);
    this.#high = Math.imul(this.#high ^ value, HIGH_FACTOR);
  }
}
