/**
 * `--feature-gates`: alpha behaviour of Kubernetes that is off unless asked for, by upstream's names:
 * `Name=true,Other=false`. An unknown name or value is refused: a run without the gate that the user asked for would do
 * something else.
 */
export interface FeatureGates {
  /** Jobs get a Workload and a PodGroup, and the pods of those that ask for a gang are scheduled together. */
  readonly WorkloadWithJob: boolean;
}

export const DEFAULT_FEATURE_GATES: FeatureGates = { WorkloadWithJob: false };

const NAMES = Object.keys(DEFAULT_FEATURE_GATES);

/** The gates of `text` over `previous`. @throws Error with a sentence that says what is allowed */
export function parseFeatureGates(text: string, previous: FeatureGates): FeatureGates {
  const gates: Record<string, boolean> = { ...previous };
  for (const entry of text.split(",")) {
    const [name = "", value, ...more] = entry.split("=");
    if (!NAMES.includes(name))
      throw new Error(`There is no gate ${JSON.stringify(name)}; known gates: ${NAMES.join(", ")}`);
    if ((value !== "true" && value !== "false") || more.length > 0)
      throw new Error(`Allowed are ${name}=true and ${name}=false`);
    gates[name] = value === "true";
  }
  return gates as unknown as FeatureGates;
}

/** The text that `parseFeatureGates` reads back as the same gates. */
export function formatFeatureGates(gates: FeatureGates): string {
  return Object.entries(gates)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .join(",");
}
