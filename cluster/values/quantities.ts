/**
 * Resource quantities (`500m`, `64Mi`, `1e3`): reading, comparing and writing them in their one canonical form. Values
 * are thousandths, as BigInt. Smaller fractions are rounded up, as the server does for the resources of a pod.
 */

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
/**
 * Limits for characters (the same as in admission) and for powers of ten. Larger ones would need a huge number of
 * digits.
 */
const maxCharacters = 64;
const maxExponent = 1_000;
const syntaxError = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

export interface Quantity {
  /** Thousandths of the unit. */
  readonly milli: bigint;
  readonly format: "decimal" | "binary" | "exponent";
}

/** @throws Error with the server's text for an invalid quantity */
export function parseQuantity(given: string): Quantity {
  const text = given.trim();
  const match = text.length > maxCharacters ? null : pattern.exec(text);
  if (!match || (match[2] === "" && (match[3] ?? "") === "")) throw new Error(syntaxError);
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const binary = binarySuffixes.indexOf(suffix as (typeof binarySuffixes)[number]);
  const decimal = decimalSuffixes.indexOf(suffix as (typeof decimalSuffixes)[number]);
  const isExponent = binary < 0 && decimal < 0;
  const power10 = isExponent ? Number(suffix.slice(1)) : binary > 0 ? 0 : (decimal - 3) * 3;
  if (Math.abs(power10) > maxExponent) throw new Error(syntaxError);
  // milli = digits * 10^(power10 + 3 - fraction) * 1024^binary, rounded away from zero
  let milli = BigInt(whole + fraction) * (binary > 0 ? 1024n ** BigInt(binary) : 1n);
  const shift = power10 + 3 - fraction.length;
  if (shift >= 0) milli *= 10n ** BigInt(shift);
  else milli = (milli + 10n ** BigInt(-shift) - 1n) / 10n ** BigInt(-shift);
  return { milli: sign === "-" ? -milli : milli, format: isExponent ? "exponent" : binary > 0 ? "binary" : "decimal" };
}

/** Thousandths of the unit. @throws Error for an invalid quantity */
export function milliOf(text: string): bigint {
  return parseQuantity(text).milli;
}

/** The sum, in the format of the first that is not zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { milli: a.milli + b.milli, format: a.milli === 0n ? b.format : a.format };
}

/**
 * The canonical form: no fraction, the largest suffix that leaves none.
 * @throws Error with the server's text for what is not a quantity
 */
export function canonicalQuantity(text: string): string {
  return quantityText(parseQuantity(text));
}

export function quantityText({ milli, format }: Quantity): string {
  if (milli === 0n) return "0";
  if (format === "binary" && milli % 1000n === 0n && (milli >= 1024000n || milli <= -1024000n)) {
    let value = milli / 1000n;
    let step = 0;
    while (step < binarySuffixes.length - 1 && value % 1024n === 0n) {
      value /= 1024n;
      step++;
    }
    return `${value}${binarySuffixes[step]}`;
  }
  let value = milli;
  let step = decimalSuffixes.indexOf("m");
  while (step < decimalSuffixes.length - 1 && value % 1000n === 0n) {
    value /= 1000n;
    step++;
  }
  if (format !== "exponent") return `${value}${decimalSuffixes[step]}`;
  const exponent = (step - 3) * 3;
  return exponent === 0 ? `${value}` : `${value}e${exponent}`;
}
