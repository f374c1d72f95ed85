/**
 * npm runs this before `npm pack`, and before `npm run pack`. The former would pack the sources of the repository, and
 * users get something else. It is plain JavaScript without dependencies: nothing may be installed yet.
 */
if (!process.env.npm_command?.startsWith("run")) {
  console.error("pack: this folder has the sources and is no package; `npm run pack` makes the package, in release/");
  process.exitCode = 1;
}
