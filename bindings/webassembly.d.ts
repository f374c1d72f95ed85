/** The part of WebAssembly that the binding uses, for platforms whose type packages leave it out. */
declare namespace WebAssembly {
  class Module {
    private constructor();
    static imports(module: Module): { readonly module: string; readonly name: string }[];
    static exports(module: Module): { readonly name: string; readonly kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Global {
    private constructor();
    value: any;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  function instantiate(module: Module, imports: object): Promise<Instance>;
}
