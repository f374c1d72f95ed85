/** Selectors of labels as objects have them (`matchLabels`, `matchExpressions`), as a test of labels. */
import type { Labels } from "./selectors.ts";

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether an object with these labels is selected. An empty selector, and none, select everything. */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key]! : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    default:
      return value === undefined;
  }
}
