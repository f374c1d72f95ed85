/**
 * Fetches the ConfigMaps and Secrets that a container's environment or a pod's volumes mention, one after another, just
 * before they are needed.
 *
 * Invariant: a missing object is not an error here (env.ts and volume-files.ts know whether it is optional); any other
 * failure is.
 */
import { CONFIG_MAPS, resourcePath, SECRETS } from "../client/client.ts";
import type { ApiClient, ApiError, ApiResource } from "../client/client.ts";
import type { EnvContext, EnvSource, EnvSourceKind } from "./env.ts";
import type { ConfigMap, Secret } from "../values/kinds.ts";

/** The API resource of each kind of source. */
export const ENV_SOURCE_RESOURCES: Readonly<Record<EnvSourceKind, ApiResource<ConfigMap | Secret>>> = {
  ConfigMap: CONFIG_MAPS,
  Secret: SECRETS,
};

export type EnvLookup = EnvContext["source"];

const noSource: EnvLookup = () => undefined;

/** @param done is called before this returns if nothing is needed. */
export function fetchEnvSources(
  client: ApiClient,
  namespace: string,
  needed: readonly EnvSource[],
  done: (lookup: EnvLookup, error?: ApiError) => void,
): void {
  if (needed.length === 0) {
    done(noSource);
    return;
  }
  const found = new Map<string, ConfigMap | Secret>();
  const lookup: EnvLookup = ({ kind, name }) => found.get(`${kind}/${name}`);
  const fetchNext = (index: number): void => {
    const source = needed[index];
    if (source === undefined) {
      done(lookup);
      return;
    }
    client.get(resourcePath(ENV_SOURCE_RESOURCES[source.kind], namespace, source.name), (result) => {
      if (result.ok) found.set(`${source.kind}/${source.name}`, result.value);
      else if (result.error.status !== 404) {
        done(lookup, result.error);
        return;
      }
      fetchNext(index + 1);
    });
  };
  fetchNext(0);
}
