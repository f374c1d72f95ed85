/**
 * The syntax of names, labels and label keys, with the texts of the errors. Each check returns a list of errors, empty
 * for a good value.
 */

const subdomainPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const namePartPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValuePattern = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const configKeyPattern = "[-._a-zA-Z0-9]+";

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const isSubdomain = whole(subdomainPattern);
const isLabel = whole(labelPattern);
const isNamePart = whole(namePartPattern);
const isLabelValue = whole(labelValuePattern);
const isConfigKey = whole(configKeyPattern);

function syntax(message: string, pattern: string, ...examples: string[]): string {
  // Upstream quirk: a comma follows every example, even before an "or".
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;
}

const subdomainText = syntax(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  "example.com",
);
const labelText = syntax(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  labelPattern,
  "my-name",
  "123-abc",
);
const namePartText = `name part ${syntax(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  namePartPattern,
  "MyName",
  "my.name",
  "123-abc",
)}`;
const labelValueText = syntax(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValuePattern,
  "MyValue",
  "my_value",
  "12345",
);
const configKeyText = syntax(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyPattern,
  "key.name",
  "KEY_NAME",
  "key-name",
);

function tooLong(text: string, limit: number, unit = "bytes"): string[] {
  return text.length > limit ? [`must be no more than ${limit} ${unit}`] : [];
}

/** A DNS-1123 subdomain of at most 253 bytes: the name of most objects. */
export function subdomainErrors(name: string, unit = "characters"): string[] {
  return [...tooLong(name, 253, unit), ...(isSubdomain.test(name) ? [] : [subdomainText])];
}

/** A DNS-1123 label of at most 63 bytes: the name of a namespace. */
export function labelErrors(name: string): string[] {
  const text = isSubdomain.test(name) ? "must not contain dots" : labelText;
  return [...tooLong(name, 63, "characters"), ...(isLabel.test(name) ? [] : [text])];
}

/** `prefix/name` or `name`: the key of a label, an annotation or a finalizer. */
export function qualifiedNameErrors(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${namePartText.slice("name part ".length).replace(/\)$/, ") with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")}`,
    ];
  }
  const name = parts.at(-1)!;
  const errors: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === "") errors.push("prefix part must be non-empty");
    else errors.push(...subdomainErrors(parts[0]!, "bytes").map((text) => `prefix part ${text}`));
  }
  if (name === "") errors.push("name part must be non-empty");
  else errors.push(...tooLong(name, 63).map((text) => `name part ${text}`));
  if (!isNamePart.test(name)) errors.push(namePartText);
  return errors;
}

/** The value of a label: at most 63 bytes, and it may be empty. */
export function labelValueErrors(value: string): string[] {
  return [...tooLong(value, 63), ...(isLabelValue.test(value) ? [] : [labelValueText])];
}

/** A name that can be a part of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A key of a ConfigMap or a Secret. */
export function configKeyErrors(key: string): string[] {
  return [...tooLong(key, 253), ...(isConfigKey.test(key) ? [] : [configKeyText])];
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedBase = 63 - suffixLength;

/** A name from metadata.generateName: the base, cut to 58, and five random characters. */
export function generateName(base: string, random: () => number): string {
  let name = base.slice(0, maxGeneratedBase);
  for (let index = 0; index < suffixLength; index++)
    name += suffixAlphabet[Math.floor(random() * suffixAlphabet.length)];
  return name;
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The upper or lower half of a 32-bit number as four hexadecimal digits. */
function hexOfHalf(word: number, shift: 16 | 0): string {
  return hexBytes[(word >>> (shift + 8)) & 255]! + hexBytes[(word >>> shift) & 255]!;
}

/** 32 random bits. */
function randomWord(random: () => number): number {
  return (random() * 0x100000000) | 0;
}

/** A random UUID, version 4. The numbers are drawn at once, but the text is built on first read. */
export class RandomUid {
  readonly #first: number;
  readonly #second: number;
  readonly #third: number;
  readonly #fourth: number;

  constructor(random: () => number) {
    this.#first = randomWord(random);
    this.#second = randomWord(random);
    this.#third = randomWord(random);
    this.#fourth = randomWord(random);
  }

  toString(): string {
    const version = (this.#second & 0x0fff) | 0x4000;
    const variant = (this.#third & 0x3fffffff) | 0x80000000;
    const timeLow = hexOfHalf(this.#first, 16) + hexOfHalf(this.#first, 0);
    const node = hexOfHalf(variant, 0) + hexOfHalf(this.#fourth, 16) + hexOfHalf(this.#fourth, 0);
    // Joined, because V8 keeps a concatenation with + as its pieces, and there are uids by the hundred thousand.
    return [timeLow, hexOfHalf(this.#second, 16), hexOfHalf(version, 0), hexOfHalf(variant, 16), node].join("-");
  }
}

export function generateUid(random: () => number): string {
  return new RandomUid(random).toString();
}
