/**
 * The names under which Stint is published, in the one place that says them. A test holds that no page and no message
 * installs anything else (test/tidy/names.test.ts).
 *
 * Why these: `stint` is another project on PyPI, and nothing protects it on npm. A scope and an organisation have one
 * owner, so no stranger can publish under them. None of them is registered yet: a maintainer does that before the first
 * publication. The imports of Python stay `stint`, as does the command.
 */
export const NAMES = {
  /** The package for Node and browsers; its command is `stint`. */
  npm: "@stint-dev/stint",
  pypi: "stint-jobs",
  goModule: "github.com/stint-dev/stint/bindings/go",
  repository: "https://github.com/stint-dev/stint",
  image: "ghcr.io/stint-dev/stint",
  chart: "stint-job-controller",
} as const;

/**
 * While this is false, every install command has to say that there is nothing to fetch yet, and what works from a
 * clone: `npm run pack`. Once it is true, none may say so.
 */
export const IS_PUBLISHED: boolean = false;

/** What `npm pack` calls the tarball: the scope without its sign. */
export const npmTarball = (version: string): string =>
  `${NAMES.npm.replace(/^@/, "").replace("/", "-")}-${version}.tgz`;

const distribution = NAMES.pypi.replaceAll("-", "_");
export const wheel = (version: string): string => `${distribution}-${version}-py3-none-any.whl`;
export const sourceDistribution = (version: string): string => `${distribution}-${version}.tar.gz`;
