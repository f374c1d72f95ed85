/** Reads the conditions of a Job. A value of another form, as users may write it, is no condition. */

/** An object of which nothing is known. */
type Loose = Readonly<Record<string, any>>;

export interface TrueCondition<Type extends string = string> {
  readonly type: Type;
  readonly reason?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
}

/** @returns undefined as long as the Job has not ended */
export function endOf(job: Loose): TrueCondition<"Complete" | "Failed"> | undefined {
  return trueCondition(job, "Complete") ?? trueCondition(job, "Failed");
}

/** @returns undefined unless the Job has this condition and its status is True */
export function trueCondition<Type extends string>(job: Loose, wanted: Type): TrueCondition<Type> | undefined {
  const conditions: unknown = job["status"]?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.find((condition) => condition?.type === wanted && condition.status === "True");
}
