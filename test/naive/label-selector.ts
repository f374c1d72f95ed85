/**
 * Whether a label selector matches labels, the plain way. Source: docs/spec/controller.md 2.4 and 2.7: labels that are
 * none match nothing.
 */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (Object.keys(labels).length === 0) return false;
  if (Object.entries(matchLabels).some(([key, value]) => labels[key] !== value)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === "In" ? isIn : !isIn;
  });
}
