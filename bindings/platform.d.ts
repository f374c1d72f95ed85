/**
 * What every JavaScript platform has beyond ECMAScript and the pure folders (bindings/js, cluster) use: UTF-8 and
 * base64. Declared here so that those folders compile without the types of Node or of the DOM.
 */
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}
/** Bytes, a character each, to base64 and back. `atob` throws for what is no base64. */
declare function btoa(bytes: string): string;
declare function atob(base64: string): string;
