/** `--job` of the commands that show what concerns one Job alone. */

/** A name alone is that of Jobs in all namespaces; undefined: every Job. */
export function jobFilter(wanted: string | undefined): (namespace: string, job: string) => boolean {
  if (wanted === undefined) return () => true;
  return (namespace, job) => wanted === (wanted.includes("/") ? `${namespace}/${job}` : job);
}
