/** DNS-1035 labels: the names in a CustomResourceDefinition, and in parameters of admission policies. */

const MAX_BYTES = 63;
const pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const isLabel = new RegExp(`^${pattern}$`);
const text = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${pattern}')`;

/** What is wrong with a name; empty for a good one. */
export function dnsLabelErrors(name: string): string[] {
  return [
    ...(name.length > MAX_BYTES ? [`must be no more than ${MAX_BYTES} bytes`] : []),
    ...(isLabel.test(name) ? [] : [text]),
  ];
}
