/** The pages of a shadow: `/debug/shadow`, and `/debug/shadow/NAMESPACE/NAME` for one Job. They only read. */
import type { Page } from "../server/pages.ts";
import type { Divergence } from "./divergence.ts";
import type { Shadow, ShadowCounts } from "./shadow.ts";

export const SHADOW_PATHS = ["/debug/shadow", "/debug/shadow/NAMESPACE/NAME"];
const PATH = /^\/debug\/shadow(?:\/([a-z0-9.-]+)\/([a-z0-9.-]+))?$/;
/** The newest; each has some kilobytes. */
const MAX_SHOWN = 100;

/** The content of `/debug/shadow`. */
export interface ShadowReport extends ShadowCounts {
  /** The newest first. */
  readonly divergences: readonly Divergence[];
}

/** The content of `/debug/shadow/NAMESPACE/NAME`. */
export interface JobReport {
  readonly namespace: string;
  readonly job: string;
  /** The shadow knows the Job, or a divergence in it. */
  readonly found: boolean;
  /** The newest first. */
  readonly divergences: readonly Divergence[];
}

export function shadowPath(namespace: string, job: string): string {
  return `/debug/shadow/${namespace}/${job}`;
}

/** Undefined: there is no such page. */
export function shadowPage(path: string, shadow: Shadow): Page | undefined {
  const [whole, namespace, job] = PATH.exec(path) ?? [];
  if (whole === undefined) return undefined;
  if (namespace === undefined || job === undefined)
    return json(200, { ...shadow.counts, divergences: newest(shadow.divergences) } satisfies ShadowReport);
  const divergences = newest(shadow.divergences.filter((one) => one.namespace === namespace && one.job === job));
  const found = divergences.length > 0 || shadow.knows(namespace, job);
  return json(found ? 200 : 404, { namespace, job, found, divergences } satisfies JobReport);
}

function newest(divergences: readonly Divergence[]): readonly Divergence[] {
  return divergences.slice(-MAX_SHOWN).reverse();
}

function json(status: number, body: object): Page {
  return { status, contentType: "application/json", body: `${JSON.stringify(body)}\n` };
}
