/**
 * Resource quantities: their canonical spelling ("0.5" is "500m", "1024Mi" is "1Gi") and their order.
 *
 * A quantity is digits × 10^scale × 1024^binary. It is exact, unless it is rounded up to a thousandth, as the API
 * server does in resource lists. Invariant: after parsing, scale >= -3, and the value is at most 2^63 - 1. Source:
 * k8s.io/apimachinery/pkg/api/resource (ParseQuantity, CanonicalizeBytes) and SetDefaults_ResourceList.
 */
import { decimal, unsignedDecimal } from "../json/text";
import { JsonNode } from "../json/tree";

const DECIMAL: i32 = 0;
const BINARY: i32 = 1;
const EXPONENT: i32 = 2;

const MILLI: i32 = -3;
const MAX_VALUE: u64 = u64(i64.MAX_VALUE);
// Further digits of a fraction cannot matter. They are rounded up into the last digit.
const MANTISSA_MAX: u64 = 100000000000000000;
// The longest quantity that is read, in characters. The API server accepts longer ones, and rounds them to one of
// these.
const TEXT_CHARS_MAX: i32 = 64;

/** One quantity. */
export class Quantity {
  negative: bool = false;
  /** The value is digits × 10^scale, with MILLI <= scale. */
  digits: u64 = 0;
  scale: i32 = 0;
  /** The family of the spelling: DECIMAL (`500m`, `2G`), BINARY (`2Gi`) or EXPONENT (`2e3`). */
  private family: i32 = DECIMAL;

  /** The quantity in a node; null if there is no node, or its text is no quantity. */
  static of(node: JsonNode | null): Quantity | null {
    return node === null ? changetype<Quantity | null>(0) : Quantity.parse(node.text);
  }

  /** The quantity in the text; null if the text is none. */
  static parse(text: string): Quantity | null {
    if (text.length > TEXT_CHARS_MAX) return null;
    const quantity = new Quantity();
    let at = 0;
    if (text.startsWith("-") || text.startsWith("+")) {
      quantity.negative = text.charCodeAt(0) == 0x2d;
      at = 1;
    }
    let scale = 0;
    let inexact = false;
    let seenDigit = false;
    let seenPoint = false;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c == 0x2e && !seenPoint) {
        seenPoint = true;
        continue;
      }
      const digit = u32(c - 0x30);
      if (digit > 9) break;
      seenDigit = true;
      if (quantity.digits < MANTISSA_MAX) {
        quantity.digits = quantity.digits * 10 + digit;
        if (seenPoint) scale--;
      } else {
        if (digit != 0) inexact = true;
        if (!seenPoint) scale++;
      }
    }
    if (!seenDigit) return null;
    quantity.scale = scale;
    if (!quantity.applySuffix(text.substring(at))) return null;
    quantity.roundUp(inexact);
    quantity.cap();
    return quantity;
  }

  get isZero(): bool {
    return this.digits == 0;
  }

  /** Whether the value is a whole number. */
  get isInteger(): bool {
    return this.scale >= 0;
  }

  /** Negative, zero or positive: this quantity is less than, equal to or more than the other. */
  compare(other: Quantity): i32 {
    const sign = this.isZero ? 0 : this.negative ? -1 : 1;
    const otherSign = other.isZero ? 0 : other.negative ? -1 : 1;
    if (sign != otherSign) return sign - otherSign;
    return sign * compareMagnitudes(this, other);
  }

  /** Whether it is a whole number of units of the other, as whole numbers, rounded up; the other is more than none. */
  isMultipleOf(unit: Quantity): bool {
    if (unit.negative || unit.isZero || !unit.isInteger) return false;
    return this.rounded() % unit.rounded() == 0;
  }

  /** The sum of two quantities, spelled as this one, or as the other if this one is nothing. */
  plus(other: Quantity): Quantity {
    const sum = new Quantity();
    sum.family = this.isZero ? other.family : this.family;
    sum.scale = min(this.scale, other.scale);
    const own = i64(scaledUp(this.digits, this.scale - sum.scale)) * (this.negative ? -1 : 1);
    const total = own + i64(scaledUp(other.digits, other.scale - sum.scale)) * (other.negative ? -1 : 1);
    sum.negative = total < 0;
    sum.digits = u64(abs(total));
    sum.roundUp(false);
    sum.cap();
    return sum;
  }

  // The magnitude as a whole number, rounded up.
  private rounded(): u64 {
    if (this.scale >= 0) return scaledUp(this.digits, this.scale);
    let whole = this.digits;
    let inexact = false;
    for (let scale = this.scale; scale < 0; scale++) {
      if (whole % 10 != 0) inexact = true;
      whole /= 10;
    }
    return whole + u64(inexact);
  }

  /** Writes the canonical spelling. */
  toString(): string {
    if (this.isZero) return "0";
    const sign = this.negative ? "-" : "";
    if (this.family == BINARY && this.isInteger) {
      const whole = scaledUp(this.digits, this.scale);
      if (whole >= 1024) return sign + binarySpelling(whole);
    }
    return sign + this.decimalSpelling();
  }

  private applySuffix(suffix: string): bool {
    if (suffix.length == 0) return true;
    const binary = binaryPower(suffix);
    if (binary > 0) {
      this.family = BINARY;
      this.multiplyBy1024(binary);
      return true;
    }
    const power = decimalPower(suffix);
    if (power != NO_POWER) {
      this.scale += power;
      return true;
    }
    const exponent = exponentOf(suffix);
    if (exponent == NO_POWER) return false;
    this.family = EXPONENT;
    this.scale += exponent;
    return true;
  }

  private multiplyBy1024(times: i32): void {
    for (let i = 0; i < times; i++) {
      // Reduces `digits` so that they can be multiplied by 1024: drops trailing zeros first, and then digits that are
      // far below the precision of a thousandth.
      while (this.digits > u64.MAX_VALUE / 1024) {
        this.digits /= 10;
        this.scale++;
      }
      this.digits *= 1024;
    }
  }

  private roundUp(inexact: bool): void {
    while (this.scale < MILLI) {
      if (this.digits % 10 != 0) inexact = true;
      this.digits /= 10;
      this.scale++;
    }
    // Rounds away from zero, for negative values, too.
    if (inexact) this.digits++;
    while (this.digits != 0 && this.digits % 10 == 0) {
      this.digits /= 10;
      this.scale++;
    }
    if (this.digits == 0) this.scale = 0;
  }

  private cap(): void {
    if (this.scale < 0 || scaledUp(this.digits, this.scale) <= MAX_VALUE) return;
    this.digits = MAX_VALUE;
    this.scale = 0;
  }

  // The shortest digits whose exponent is a multiple of three.
  private decimalSpelling(): string {
    let digits = this.digits;
    let exponent = this.scale;
    while (exponent % 3 != 0) {
      digits *= 10;
      exponent--;
    }
    if (this.family == EXPONENT) return unsignedDecimal(digits) + (exponent == 0 ? "" : "e" + decimal(exponent));
    return unsignedDecimal(digits) + decimalSuffix(exponent);
  }
}

/** `digits` × 10^`scale` if that is at most 2^63 - 1, otherwise something above. A negative scale is 0. */
export function scaledUp(digits: u64, scale: i32): u64 {
  let value = digits;
  for (let i = 0; i < scale; i++) value = value > MAX_VALUE / 10 ? MAX_VALUE + 1 : value * 10;
  return value;
}

const NO_POWER: i32 = i32.MIN_VALUE;
const DECIMAL_SUFFIXES: string = "num kMGTPE";
const BINARY_SUFFIXES: string = "KMGTPE";

// The power of ten of a suffix. `n` is 10^-9, and each further suffix is 1000 times as much. The empty one lies between
// m and k.
function decimalPower(suffix: string): i32 {
  if (suffix.length != 1 || suffix == " ") return NO_POWER;
  const at = DECIMAL_SUFFIXES.indexOf(suffix);
  return at < 0 ? NO_POWER : (at - 3) * 3;
}

function decimalSuffix(exponent: i32): string {
  return exponent == 0 ? "" : DECIMAL_SUFFIXES.charAt(exponent / 3 + 3);
}

function binaryPower(suffix: string): i32 {
  return suffix.length == 2 && suffix.charCodeAt(1) == 0x69 ? BINARY_SUFFIXES.indexOf(suffix.charAt(0)) + 1 : 0;
}

function binarySpelling(whole: u64): string {
  let value = whole;
  let power = 0;
  while (value % 1024 == 0 && power < BINARY_SUFFIXES.length) {
    value /= 1024;
    power++;
  }
  return unsignedDecimal(value) + (power == 0 ? "" : BINARY_SUFFIXES.charAt(power - 1) + "i");
}

// The exponent in `e3` or `E-2`. It has at most three digits, because a larger one is out of range anyway.
function exponentOf(suffix: string): i32 {
  if ((suffix.charCodeAt(0) | 0x20) != 0x65) return NO_POWER;
  const negative = suffix.charCodeAt(1) == 0x2d;
  const from = negative || suffix.charCodeAt(1) == 0x2b ? 2 : 1;
  if (suffix.length == from || suffix.length > from + 3) return NO_POWER;
  let value = 0;
  for (let i = from; i < suffix.length; i++) {
    const digit = u32(suffix.charCodeAt(i) - 0x30);
    if (digit > 9) return NO_POWER;
    value = value * 10 + i32(digit);
  }
  return negative ? -value : value;
}

function compareMagnitudes(a: Quantity, b: Quantity): i32 {
  if (a.scale < b.scale) return -compareMagnitudes(b, a);
  let digits = a.digits;
  for (let scale = a.scale; scale > b.scale; scale--) {
    if (digits > u64.MAX_VALUE / 10) return 1;
    digits *= 10;
  }
  return digits < b.digits ? -1 : digits == b.digits ? 0 : 1;
}
