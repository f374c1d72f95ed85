/** Workflow commands of GitHub Actions: a line each, which a text of a manifest or of a container cannot end. */

/** @param properties those that are undefined are left out */
export function githubCommand(
  command: string,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${property(String(value))}`).join(",");
  return `::${command}${text === "" ? "" : ` ${text}`}::${data(message)}\n`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
