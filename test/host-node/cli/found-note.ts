/** The line by which a command says that it has taken the kubeconfig in its folder: found-kubeconfig.test.ts. */
const FOUND =
  /^stint: the cluster is \S+, by \.\/stint\.kubeconfig, which was found here; --kubeconfig names another\n/;

/** Standard error without that line, which comes first. */
export function withoutFoundNote(err: string): string {
  return err.replace(FOUND, "");
}
