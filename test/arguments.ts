/** How the long-running commands of test/ begin: arguments, help, and what is said of arguments that make no sense. */

/**
 * The arguments of this process as `read` understands them. Undefined when there is nothing to run: then help was printed, or what is wrong, and the
 * exit status is 0 or 2.
 *
 * @param read undefined for help; throws an Error that names the argument and what is allowed
 */
export function toolArguments<T>(read: (args: readonly string[]) => T | undefined, help: string): T | undefined {
  try {
    const found = read(process.argv.slice(2));
    if (found === undefined) process.stdout.write(help);
    return found;
  } catch (error) {
    console.error(`${(error as Error).message}\n--help shows what there is`);
    process.exitCode = 2;
    return undefined;
  }
}
