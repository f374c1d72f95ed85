/** The line by which a command says that it has taken the kubeconfig in its folder: found-kubeconfig.test.ts. */
const FOUND =
  /^stint:\s+the\s+cluster\s+is\s+\S+,\s+by\s+\.\/stint\.kubeconfig,\s+which\s+was\s+found\s+here;\s+--kubeconfig\s+names\s+another\n/;

/** Standard error without that line, which comes first. On a terminal it may be several. */
export function withoutFoundNote(err: string): string {
  return err.replace(FOUND, "");
}
