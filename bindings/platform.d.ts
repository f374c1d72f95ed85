/**
 * What every JavaScript platform has beyond ECMAScript and the pure folders (bindings/js, cluster) use: UTF-8. Declared here so that those folders compile without the types of Node or of the DOM.
 */
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean });
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}
