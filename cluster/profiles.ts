/**
 * The clusters that Stint makes, as a table: which parts each of them has beyond a clock, chance and admission, which
 * every cluster has. A part that is in neither list of a row is not in that cluster.
 *
 * Invariant: the maker of a BareCluster names its row (`satisfies PartsOf<"check">`), and the compiler compares the
 * two. The table loads no part: in the playground each of them is a larger download. Leaves out what the parts do,
 * which BareClusterOptions says.
 */
import type { BareClusterOptions } from "./bare-cluster.ts";

type Basis = "clock" | "random" | "admission";
type Part = Exclude<keyof BareClusterOptions, Basis>;

interface Profile {
  /** These parts are always there. */
  readonly has: readonly Part[];
  /** These parts are there when the maker's caller needs them. */
  readonly may: readonly Part[];
}

export const PROFILES = {
  /** A run of the playground, which has quotas when the scenario names one. */
  simulation: { has: ["limits"], may: ["quotas", "kubernetes"] },
  /** What the playground finds wrong with a manifest: its objects are created, and nothing runs. */
  check: { has: ["quotas"], may: ["kubernetes"] },
  /** What `stint lint` says that an API server refuses: dry runs, of more kinds. */
  lint: { has: ["quotas", "moreResources", "kubernetes"], may: ["unknownFields"] },
  /** `stint run`, `stint serve` and tests. Only a cluster with clients has plugins and waits for webhooks. */
  embedded: {
    has: ["quotas", "clientSupport", "moreResources", "gangScheduling", "kubernetes", "authorize"],
    may: ["unknownFields", "fieldOwners", "plugins", "wrapTransport"],
  },
  /** `Cluster` of `@stint-dev/stint/cluster`: the caller gives what it needs. */
  library: {
    has: ["quotas", "clientSupport"],
    may: [
      "moreResources",
      "limits",
      "fieldOwners",
      "plugins",
      "authorize",
      "wrapTransport",
      "gangScheduling",
      "kubernetes",
      "unknownFields",
      "assignsServiceAccount",
    ],
  },
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileName = keyof typeof PROFILES;

type Has<P extends ProfileName> = (typeof PROFILES)[P]["has"][number];
type May<P extends ProfileName> = (typeof PROFILES)[P]["may"][number];

/** The options of a cluster with the parts of its row, and no others. */
export type PartsOf<P extends ProfileName> = Pick<BareClusterOptions, Basis> & {
  readonly [K in Has<P>]-?: NonNullable<BareClusterOptions[K]>;
} & {
  readonly [K in May<P>]?: BareClusterOptions[K] | undefined;
} & {
  readonly [K in Exclude<Part, Has<P> | May<P>>]?: never;
};
