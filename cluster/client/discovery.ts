/**
 * Asks a server through discovery which resources it serves (docs/spec/api.md 6.2), for components that act on objects
 * of any kind. Nothing is cached, because resources come and go.
 */
import type { ApiClient, ApiError, ApiResource } from "./client.ts";

export interface DiscoveredResource extends ApiResource {
  readonly verbs: readonly string[];
}

export type DiscoveryResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiError };

interface ApiResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
  }[];
}

interface ApiGroupList {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
}

export class Discovery {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Resources of one apiVersion, without subresources; none if the server does not have it. */
  ofVersion(apiVersion: string, done: (result: DiscoveryResult<readonly DiscoveredResource[]>) => void): void {
    this.#client.get<ApiResourceList>(`${apiVersion.includes("/") ? "/apis/" : "/api/"}${apiVersion}`, (result) => {
      if (!result.ok) {
        done(result.error.status === 404 ? { ok: true, value: [] } : result);
        return;
      }
      const resources = result.value.resources
        .filter(({ name }) => !name.includes("/"))
        .map(({ name, kind, namespaced, verbs = [] }) => ({ apiVersion, kind, plural: name, namespaced, verbs }));
      done({ ok: true, value: resources });
    });
  }

  /** The resource of a kind; undefined if the server does not have it. */
  find(
    apiVersion: string,
    kind: string,
    done: (result: DiscoveryResult<DiscoveredResource | undefined>) => void,
  ): void {
    this.ofVersion(apiVersion, (result) => {
      done(result.ok ? { ok: true, value: result.value.find((resource) => resource.kind === kind) } : result);
    });
  }

  /** All resources, each group in its preferred version. */
  all(done: (result: DiscoveryResult<readonly DiscoveredResource[]>) => void): void {
    this.#client.get<ApiGroupList>("/apis", (result) => {
      if (!result.ok) {
        done(result);
        return;
      }
      const versions = ["v1", ...result.value.groups.map((group) => group.preferredVersion.groupVersion)];
      const resources: DiscoveredResource[] = [];
      const next = (index: number): void => {
        const version = versions[index];
        if (version === undefined) {
          done({ ok: true, value: resources });
          return;
        }
        this.ofVersion(version, (ofVersion) => {
          if (!ofVersion.ok) {
            done(ofVersion);
            return;
          }
          resources.push(...ofVersion.value);
          next(index + 1);
        });
      };
      next(0);
    });
  }
}
