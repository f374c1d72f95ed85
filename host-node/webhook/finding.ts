/** One thing that a profile says of a Job: of a rule of lint, or of a budget. */
export interface Finding {
  /** The code of a rule of lint, or the name of a budget. */
  readonly rule: string;
  readonly action: "deny" | "warn";
  /** The path in the object. */
  readonly field: string;
  /** One English sentence, without a capital and a full stop. */
  readonly sentence: string;
  /** A remedy; undefined: the sentence contains it. */
  readonly fix?: string;
}
