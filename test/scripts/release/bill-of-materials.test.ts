/** The bill of materials names each package that is in a bundle, once, as CycloneDX has it. */
import { expect, test } from "vitest";
import { cycloneDX, packageFolders } from "../../../scripts/release/bill-of-materials.ts";

test("a file belongs to the innermost package, with its scope", () => {
  const files = [
    "node_modules/yaml/dist/index.js",
    "node_modules/yaml/dist/parse/cst.js",
    "node_modules/@peculiar/x509/build/index.js",
    "node_modules/a/node_modules/@scope/b/lib/c.js",
  ];
  expect(packageFolders(files)).toEqual([
    "node_modules/@peculiar/x509",
    "node_modules/a/node_modules/@scope/b",
    "node_modules/yaml",
  ]);
});

test("a package has its version, its license and a URL", () => {
  expect(
    cycloneDX("0.1.0", [
      { name: "@scope/b", version: "1.2.3", license: "ISC" },
      { name: "c", version: "4.0.0" },
    ]),
  ).toEqual({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: "@stint-dev/stint",
        version: "0.1.0",
        purl: "pkg:npm/%40stint-dev/stint@0.1.0",
        licenses: [{ expression: "Apache-2.0" }],
      },
    },
    components: [
      {
        type: "library",
        name: "@scope/b",
        version: "1.2.3",
        purl: "pkg:npm/%40scope/b@1.2.3",
        licenses: [{ expression: "ISC" }],
      },
      { type: "library", name: "c", version: "4.0.0", purl: "pkg:npm/c@4.0.0" },
    ],
  });
});
