/** How the long-running commands of test/ begin: arguments, help, and what is said of arguments that make no sense. */

/**
 * The arguments of this process as `read` understands them. Undefined when there is nothing to run: then help was
 * printed, or what is wrong, and the exit status is 0 or 2.
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

/**
 * A whole number from `from` to `to`, of up to nine digits; with `from` 1 it does not begin with a zero.
 *
 * @param name of the option, without hyphens
 * @throws Error naming the option and what is allowed
 */
export function wholeNumber(name: string, text: string, from: 0 | 1, to: number): number {
  const pattern = from === 0 ? /^\d{1,9}$/ : /^[1-9]\d{0,8}$/;
  if (!pattern.test(text) || Number(text) > to)
    throw new Error(`--${name} is ${JSON.stringify(text)}; allowed are whole numbers from ${from} to ${to}`);
  return Number(text);
}
