/** Whether labels match a LabelSelector of an object: `matchLabels` and `matchExpressions`. */

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Without a selector nothing matches; an empty one matches everything. */
export function matchesLabels(
  selector: LabelSelector | null | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const has = Object.hasOwn(labels, key);
  switch (operator) {
    case "In":
      return has && values.includes(labels[key]!);
    case "NotIn":
      return !has || !values.includes(labels[key]!);
    case "Exists":
      return has;
    case "DoesNotExist":
      return !has;
    default:
      return false;
  }
}
