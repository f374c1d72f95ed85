/** Incidents that the product does not explain yet. */

/** What the product says today where that is not the answer. An entry fails when the answer is right. */
export const KNOWN_GAPS: Readonly<Record<string, string>> = {};
