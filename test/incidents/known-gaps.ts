/** Incidents that the product does not explain yet. */

/** What the product says today where that is not the answer. An entry fails when the answer is right. */
export const KNOWN_GAPS: Readonly<Record<string, string>> = {
  // No explanation is about a CronJob.
  "cron-suspended": "explain says nothing",
  // A Job that is deleted in the background goes at once, and `account` cannot be given that it is gone.
  "job-deleted": "account says Deleted, NoPods",
};
