/**
 * Quantities from the inside: order across units, rounding, and texts that are none. Spellings are in the vectors too.
 */
import { Quantity } from "../../assembly/admission/quantity";

function quantity(text: string): Quantity {
  const parsed = Quantity.parse(text);
  assert(parsed !== null, text);
  return parsed!;
}

describe("Quantity", () => {
  it("orders across units and signs", () => {
    const ascending = [
      "-1Ki",
      "-1",
      "-1m",
      "0",
      "1m",
      "0.9",
      "1",
      "1001m",
      "1k",
      "1Ki",
      "1M",
      "1Mi",
      "1e9",
      "1Gi",
      "1Pi",
      "7E",
      "100E",
    ];
    for (let i = 0; i < ascending.length; i++) {
      for (let j = 0; j < ascending.length; j++) {
        const order = quantity(ascending[i]).compare(quantity(ascending[j]));
        expect(order < 0).toBe(i < j, ascending[i] + " " + ascending[j]);
        expect(order == 0).toBe(i == j, ascending[i] + " " + ascending[j]);
      }
    }
  });

  it("is equal in any spelling", () => {
    const same = ["1Gi", "1024Mi", "1048576Ki", "1073741824", "1073741824000m", "1073741.824k", "1073741824e0", "+1Gi"];
    for (let i = 0; i < same.length; i++) expect(quantity(same[i]).compare(quantity("1Gi"))).toBe(0, same[i]);
  });

  it("rounds away from zero to thousandths", () => {
    expect(quantity("1n").toString()).toBe("1m");
    expect(quantity("-1n").toString()).toBe("-1m");
    expect(quantity("1.0001").toString()).toBe("1001m");
    expect(quantity("0.00000000000000000000000001").toString()).toBe("1m");
    expect(quantity("1e-999").toString()).toBe("1e-3");
  });

  it("is at most 2^63 - 1", () => {
    expect(quantity("1e999").toString()).toBe("9223372036854775807");
    expect(quantity("8Ei").toString()).toBe("9223372036854775807");
    expect(quantity("7Ei").toString()).toBe("7Ei");
    expect(quantity("9223372036854775807").toString()).toBe("9223372036854775807");
    expect(quantity("9999999999999999.99").toString()).toBe("9999999999999999990m");
    expect(quantity("99999999999999999999999999999999").toString()).toBe("9223372036854775807");
  });

  it("recognizes whole numbers", () => {
    expect(quantity("1.5Gi").isInteger).toBe(true);
    expect(quantity("1500m").isInteger).toBe(false);
    expect(quantity("1000m").isInteger).toBe(true);
    expect(quantity("0.000").isZero).toBe(true);
  });

  it("is not made from other texts", () => {
    const broken = [
      "",
      " ",
      ".",
      "-",
      "1x",
      "1kk",
      "1 k",
      "1K",
      "m",
      "Ki",
      "1ki",
      "1e",
      "1e+",
      "1e1000",
      "1e1k",
      "1.2.3",
      "0x10",
      "1,5",
      "--1",
    ];
    for (let i = 0; i < broken.length; i++) expect(Quantity.parse(broken[i]) === null).toBe(true, broken[i]);
  });
});
