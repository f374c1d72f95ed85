/** How code for Node is bundled: what is left out of dependencies, because nothing here uses it and it takes time. */
import type { BuildOptions, Plugin } from "esbuild";

/**
 * Importing the client library has no side effects, but its package does not declare that. Without this plugin the
 * bundle would contain the models of the whole API, although only kubeconfigs are read.
 */
const withoutUnusedModels: Plugin = {
  name: "without-unused-models",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      const isClient =
        path === "@kubernetes/client-node" || (path.startsWith(".") && importer.includes("/@kubernetes/client-node/"));
      if (pluginData === "asked" || !isClient) return undefined;
      return { ...(await resolve(path, { importer, resolveDir, kind, pluginData: "asked" })), sideEffects: false };
    });
  },
};

/**
 * When a module imports Node's http, Node reads all of its exports. One of them is the class WebSocket, which loads an
 * HTTP client: a tenth of the time in which a command starts. Asking Node for the module does not read its exports.
 */
const withoutExportsOfHttp: Plugin = {
  name: "without-exports-of-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:https?$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "builtin" } : undefined,
    );
    onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** Undici would load Node's HTTP/2, which takes 5 MB, although everything here speaks HTTP/1.1. */
const withoutHttp2: Plugin = {
  name: "without-http2",
  setup({ onLoad }) {
    onLoad({ filter: /\/undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({
      contents: "module.exports = undefined;",
    }));
  },
};

export const NODE_BUNDLE = {
  platform: "node",
  plugins: [withoutUnusedModels, withoutExportsOfHttp, withoutHttp2],
  // With this word undici leaves its second, experimental parser out.
  define: { esbuildDetection: "true" },
  // A user who imports the matchers has vitest.
  external: ["vitest"],
} as const satisfies BuildOptions;
