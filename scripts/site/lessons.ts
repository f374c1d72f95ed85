/**
 * A page of the site for each lesson of the playground, at an address that can be read: `lessons/one-fails.html`. It
 * has the lesson's words and its run in a frame, at the turning point. Leaves out the lesson itself:
 * host-browser/catalogue.
 */
import path from "node:path";
import { build } from "esbuild";
import type { Lesson } from "../../host-browser/catalogue/lesson.ts";
import { lessonAddress } from "../../host-browser/share/lesson-address.ts";
import type { SidebarGroup } from "./pages.ts";

const CATALOGUE = path.resolve(import.meta.dirname, "../../host-browser/catalogue/index.ts");
const LIST = "lessons/index.md";

interface LessonPages {
  /** The text of each page, by its path in the site. */
  readonly texts: ReadonlyMap<string, string>;
  readonly groups: readonly SidebarGroup[];
}

export async function lessonPages(): Promise<LessonPages> {
  const lessons = await loadLessons();
  const texts = lessons.map((one) => [`lessons/${one.id}.md`, pageOf(one)] as const);
  const byGroup = [...Map.groupBy(lessons, ({ group }) => group)];
  return {
    texts: new Map([...texts, [LIST, listOf(lessons)]]),
    groups: [{ text: "Lessons", items: [{ text: "All lessons", link: `/${LIST}` }] }, ...byGroup.map(groupOf)],
  };
}

function groupOf([text, lessons]: readonly [string, readonly Lesson[]]): SidebarGroup {
  return { text, items: lessons.map(({ id, title }) => ({ text: title, link: `/lessons/${id}.md` })) };
}

/** Node does not import manifests as text, as the playground's bundles do. */
async function loadLessons(): Promise<readonly Lesson[]> {
  const { outputFiles } = await build({
    entryPoints: [CATALOGUE],
    bundle: true,
    write: false,
    format: "esm",
    loader: { ".yaml": "text" },
    logLevel: "warning",
  });
  const source = Buffer.from(outputFiles[0]!.contents).toString("base64");
  const catalogue = (await import(
    `data:text/javascript;base64,${source}`
  )) as typeof import("../../host-browser/catalogue/index.ts");
  return catalogue.loadLessons();
}

function pageOf(lesson: Lesson): string {
  const { title, text, question, answer, bookmarks, ends } = lesson;
  const address = lessonAddress(lesson.id);
  const head = `---\ntitle: ${JSON.stringify(title)}\nlesson: ${JSON.stringify({ title, address })}\n---`;
  return [
    head,
    `# ${title}`,
    text,
    `**${question}**`,
    `::: details Answer\n${answer}\n:::`,
    // The generator puts its run there.
    "```lesson\n```",
    "## What to look at",
    bookmarks.map(({ atMs, label }) => `- ${(atMs / 1000).toFixed(1)} s: ${label}`).join("\n"),
    "## How it ends",
    ends.map((end) => `- ${end}`).join("\n"),
    "",
  ].join("\n\n");
}

function listOf(lessons: readonly Lesson[]): string {
  const groups = [...Map.groupBy(lessons, ({ group }) => group)].map(
    ([group, inside]) =>
      `## ${group}\n\n${inside.map(({ id, title, text }) => `- [${title}](${id}.md): ${text}`).join("\n")}`,
  );
  return [
    "# Lessons",
    "Each lesson is a run in the playground, with a question to answer before looking.",
    ...groups,
    "",
  ].join("\n\n");
}
