/** The engine of the page's runs, fetched and compiled: for its Worker, and for those that run seeds. */

/** @throws Error when it cannot be fetched or compiled */
export async function fetchEngineModule(): Promise<WebAssembly.Module> {
  const response = await fetch("engine.wasm");
  if (!response.ok) throw new Error(`engine.wasm: the server answered ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}
