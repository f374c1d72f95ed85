/** The page says of the printed objects of an incident what `stint why` says of the cluster. */
import { expect } from "vitest";
import { accountOf, FORMS, open, played, printed } from "./played.ts";

/** @returns whether there was a Job to speak of */
export async function compareWithWhy(name: string): Promise<boolean> {
  const seen = await played(name);
  if (seen === undefined) return false;
  const account = await accountOf(seen);
  for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    const text = printed(seen, form);
    const answer = open(text, seen);
    expect(answer.problem).toBeUndefined();
    const [said] = answer.jobs;
    expect(said?.what).toBe(account.sentence);
    expect(said?.next).toBe(account.next.sentence);
    expect(said?.toDo.map(({ command }) => command)).toEqual(account.remedies.map(({ command }) => command));
    const lines = text.split("\n");
    for (const { field, line } of said!.why.evidence)
      expect(lines[line - 1], field).toMatch(
        field.endsWith("]") ? /^ +[-{]/ : new RegExp(`\\b${field.split(".").at(-1)}\\b`),
      );
  }
  return true;
}
