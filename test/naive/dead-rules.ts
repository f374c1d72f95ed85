/**
 * The rules of a podFailurePolicy that never decide, found by trying every way in which a pod can fail: each exit code
 * of each container, and each condition. Slow and plain. More than one of them at once decides nothing new: the first
 * rule that matches any of them decides.
 */

export interface FailurePolicy {
  readonly rules: readonly {
    readonly action: string;
    readonly onExitCodes?: {
      readonly operator: string;
      readonly values: readonly number[];
      readonly containerName?: string | undefined;
    };
    readonly onPodConditions?: readonly { readonly type: string; readonly status: string }[];
  }[];
}

export function deadRules({ rules }: FailurePolicy, containers: readonly string[]): number[] {
  const deciding = new Set<number>();
  for (const container of containers) {
    for (let code = 1; code <= 255; code++) {
      deciding.add(
        rules.findIndex(({ onExitCodes }) => {
          if (onExitCodes === undefined) return false;
          if (onExitCodes.containerName !== undefined && onExitCodes.containerName !== container) return false;
          return onExitCodes.values.includes(code) === (onExitCodes.operator === "In");
        }),
      );
    }
  }
  for (const { onPodConditions = [] } of rules) {
    for (const { type, status } of onPodConditions) {
      if (type === "DisruptionTarget" && status !== "True") continue;
      deciding.add(
        rules.findIndex((rule) => rule.onPodConditions?.some((each) => each.type === type && each.status === status)),
      );
    }
  }
  return rules.flatMap((_, i) => (deciding.has(i) ? [] : [i]));
}
