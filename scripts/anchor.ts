/** Anchors of headings, in the playground's page of decisions and on the site: as GitHub makes them. */

/** @param heading its text, without marks */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
