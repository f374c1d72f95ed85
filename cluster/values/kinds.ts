/**
 * The kinds that code reads, as types: what the API server serves of a Pod, a Job, a Node… and what they consist of.
 * `npm run build` writes them from the same tables as the schema of the API server, scripts/schema/fields/.
 *
 * An object gets its type where it comes in: a list, a watch or a get of PODS (client/client.ts) gives Pods. Types say
 * what is served; a manifest may lack all of it.
 */
export type * from "../../build/kinds.ts";
