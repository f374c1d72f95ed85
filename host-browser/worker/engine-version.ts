/**
 * The version of the page's engine: a shared address names it. Built into the Worker (scripts/build-playground.ts),
 * which therefore need not read the whole module before the first picture.
 */
import { Engine } from "../../bindings/js/engine.ts";
import { Digest } from "../../cluster/simulation/digest.ts";

/** `<ABI version>-<digest of the module>` */
export async function engineVersionOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Digest();
  digest.bytes(bytes);
  const engine = Engine.createSync(await WebAssembly.compile(bytes));
  return `${engine.abiVersion}-${digest.hex().slice(0, 8)}`;
}
