/** What V8 is set to before the code of a long-lived process is loaded. */
import { setFlagsFromString } from "node:v8";

/**
 * Call this before the code of a long-lived process is loaded. Its garbage dies young. V8 enlarges the space for young
 * objects when the process is busy, and never shrinks it; that space would be most of the memory of the process.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Call this before WebAssembly is compiled. V8 would compile functions that are busy a second time and optimise them.
 * Undici's parser of HTTP is one large function: that takes 25 MB for a moment, and 13 MB of it stay. A controller of a
 * Job of 4,000 pods takes as much processor time either way.
 */
export function compileWebAssemblyOnce(): void {
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}
