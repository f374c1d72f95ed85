/**
 * What an auth provider of a kubeconfig, such as OIDC, puts into a request. client-node speaks to it.
 *
 * Loaded only where a kubeconfig names a provider: client-node takes a third of the memory that a controller needs.
 */
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";

export class AuthProvider {
  readonly #config = new KubeConfig();

  /** `fields`: its name and its settings, as in the kubeconfig. */
  constructor(fields: object) {
    this.#config.loadFromClusterAndUser(
      { name: "", server: "https://", skipTLSVerify: false },
      { name: "", authProvider: fields },
    );
  }

  /** Undefined: it has none. @throws Error when it does not answer */
  async authorization(): Promise<string | undefined> {
    const options: RequestOptions = { headers: {} };
    await this.#config.applyToHTTPSOptions(options);
    return (options.headers as { readonly Authorization?: string }).Authorization;
  }
}
