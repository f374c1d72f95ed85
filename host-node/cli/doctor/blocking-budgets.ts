/**
 * PodDisruptionBudgets that select running pods of Jobs and allow no eviction: a drain of their node waits until the
 * pods end. Invariant: a budget is judged by what its status says, and by pods that have not ended. Leaves out budgets
 * that the disruption controller has not looked at yet.
 */
import { DISRUPTION_BUDGETS } from "../../../cluster/client/client.ts";
import { matchesLabels } from "../../../cluster/values/label-selector.ts";
import { counted } from "../../words/counted.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import type { Commands } from "./commands.ts";
import type { Finding } from "./finding.ts";
import type { Pod, PodDisruptionBudget } from "../../../cluster/values/kinds.ts";

const NAME_LABEL = "batch.kubernetes.io/job-name";
/** The most blocking budgets that are kept while pods are read. */
const MAX_BUDGETS = 1_000;

interface Blocking {
  readonly budget: PodDisruptionBudget;
  pods: number;
}

export class BlockingBudgets {
  readonly #byNamespace: ReadonlyMap<string, readonly Blocking[]>;

  private constructor(blocking: readonly Blocking[]) {
    this.#byNamespace = Map.groupBy(blocking, ({ budget }) => budget.metadata.namespace!);
  }

  /** Reads the budgets that allow no eviction now. */
  static async read(reader: ClusterReader): Promise<BlockingBudgets> {
    const found: Blocking[] = [];
    for await (const page of reader.pages(DISRUPTION_BUDGETS, "PodDisruptionBudgets"))
      for (const budget of page) {
        const { disruptionsAllowed, observedGeneration } = budget.status ?? {};
        const isJudged = observedGeneration === undefined || observedGeneration === budget.metadata.generation;
        if (disruptionsAllowed === 0 && isJudged && found.length < MAX_BUDGETS) found.push({ budget, pods: 0 });
      }
    return new BlockingBudgets(found);
  }

  /** Counts a pod of a Job. */
  pod({ metadata, status }: Pod): void {
    if (status?.phase !== "Running") return;
    for (const blocking of this.#byNamespace.get(metadata.namespace!) ?? [])
      if (selects(blocking.budget, metadata.labels ?? {})) blocking.pods++;
  }

  findings(commands: Commands): Finding[] {
    return [...this.#byNamespace.values()].flat().flatMap(({ budget, pods }) => {
      if (pods === 0) return [];
      const { namespace, name } = budget.metadata;
      const failure = budget.status?.conditions?.find(({ reason }) => reason === "SyncFailed");
      const why = failure?.message === undefined ? "" : ` (${failure.message})`;
      const { matchExpressions = [] } = budget.spec.selector!;
      const without = { key: NAME_LABEL, operator: "DoesNotExist" };
      const change = { spec: { selector: { matchExpressions: [...matchExpressions, without] } } };
      return [
        {
          id: "BudgetBlocksDrains" as const,
          kind: "poddisruptionbudget",
          namespace,
          name,
          sentence: `it allows no eviction and selects ${counted(pods, "running pod")} of Jobs${why}: a drain of their nodes waits until they end`,
          fix: commands.merge("poddisruptionbudget", namespace, name, change),
        },
      ];
    });
  }
}

function selects({ spec }: PodDisruptionBudget, labels: Readonly<Record<string, string>>): boolean {
  return spec?.selector !== undefined && matchesLabels(spec.selector, labels);
}
