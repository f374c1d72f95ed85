/** `1 pod`, `2 pods`: for words that take an s. */
export function counted(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
