/** What the status of a Job, a pod or a node says of itself. */
interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether one of these conditions is True. */
export function hasCondition({ status }: WithConditions, ...types: readonly string[]): boolean {
  return status?.conditions?.some(({ type, status }) => types.includes(type) && status === "True") ?? false;
}

/** Whether a Job has its result. */
export function isOver(job: WithConditions): boolean {
  return hasCondition(job, "Complete", "Failed");
}
