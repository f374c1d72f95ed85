/** The transcripts' own reader, writer, masks and player: what they refuse, so that no transcript passes unread. */
import { describe, expect, it } from "vitest";
import { Masking } from "./masks.ts";
import { Player } from "./play.ts";
import { parseTranscript, sectionText, transcriptText } from "./transcript.ts";

const HEAD = "# What it shows.\n";
const SECTION = "## the version is printed\n\n$ stint --version\n0.0.0\nexit status 0\n";

describe("a transcript", () => {
  it("is read with its settings, sections and files, and written again as it was", () => {
    const preparation = "> POST /jobs @a.yaml\nJob a\nstatus 201\n";
    const second = "## an unknown command is refused\n\n$ stint 'a b'\n2> stint: no\n\n2> help\nexit status 2\n";
    const text = [
      `${HEAD}server: serve --seed 1\nmasks: server, age\n`,
      preparation,
      SECTION,
      second,
      "-- a.yaml --\nkind: Job\n-- folder/my file --\n",
    ].join("\n");
    const transcript = parseTranscript("a.txt", text);
    expect(transcript).toMatchObject({
      server: ["serve", "--seed", "1"],
      masks: ["server", "age"],
      preparation: { title: "", text: preparation, blocks: [{ kind: "request", line: "POST /jobs @a.yaml" }] },
      sections: [
        { title: "the version is printed", text: SECTION, blocks: [{ kind: "command", line: "stint --version" }] },
        { title: "an unknown command is refused", text: second },
      ],
    });
    expect([...transcript.files]).toEqual([
      ["a.yaml", "kind: Job\n"],
      ["folder/my file", ""],
    ]);
    expect(transcriptText(transcript, preparation, [SECTION, second])).toBe(text);
  });

  it.each([
    ["", "a.txt:1: it does not end with a line feed"],
    ["\n", "a.txt:1: its first line is no comment"],
    [SECTION, "a.txt:1: its first line is no comment"],
    [HEAD, "a.txt:2: it has no section"],
    [`${HEAD}\n$ stint\nexit status 0\n`, "a.txt:5: it has no section"],
    [`${HEAD}\n## nothing is done\n`, "a.txt:4: the section nothing is done has no command and no request"],
    [`${HEAD}\n${SECTION}\n${SECTION}`, "a.txt:9: the title the version is printed is there twice"],
    [`${HEAD}\n## a\n\n$ stint\nexit status\n`, 'a.txt:5: $ stint has no line "exit status NUMBER" behind it'],
    [`${HEAD}\n## a\n\n> GET /\nexit status 0\n`, 'a.txt:5: > GET / has no line "status NUMBER" behind it'],
    [`${HEAD}\n## a\n\nstint\nexit status 0\n`, "a.txt:5: here is stint; allowed is $, >, ## or --, and a space"],
    [`${HEAD}mask: age\n\n${SECTION}`, "a.txt:2: mask is no setting; allowed are server and masks"],
    [`${HEAD}masks: age\nmasks: ms\n\n${SECTION}`, "a.txt:3: masks is there twice"],
    [`${HEAD}\n${SECTION}\n-- a --\n-- a --\n`, "a.txt:10: the file a is there twice"],
    [`${HEAD}\n${SECTION}\n-- a\n`, "a.txt:9: here is -- a; a file begins with -- NAME --"],
    [`${HEAD}${"x".repeat(1_000_000)}\n`, "a.txt:1: it has 1000018 characters; allowed are 1000000"],
  ])("is refused with its line: %#", (text, problem) => {
    expect(() => parseTranscript("a.txt", text)).toThrow(problem);
  });
});

describe("a played block", () => {
  const block = { kind: "command", line: "stint" } as const;

  it("marks each line of standard error, and says where a line feed is missing", () => {
    expect(sectionText("a", [{ block, answer: { out: "x\ny", err: "z\n\nw\n", status: 1 } }])).toBe(
      "## a\n\n$ stint\nx\ny\n\\ no line feed at the end\n2> z\n2> \n2> w\nexit status 1\n",
    );
  });

  it("is refused when its output would end it", () => {
    const answer = { out: "exit status 0\n", err: "", status: 1 };
    expect(() => sectionText("a", [{ block, answer }])).toThrow("the output of stint has a line that would end its");
  });
});

describe("the masks of a transcript", () => {
  const surroundings = { folder: "/tmp/a", server: "https://127.0.0.1:1234" };

  it("hide only what is named", () => {
    const text = "/tmp/a at https://127.0.0.1:1234, 5 s ago";
    expect(new Masking(["folder", "age"], surroundings).mask(text)).toBe(
      "<folder> at https://127.0.0.1:1234, <age> ago",
    );
  });

  it("hide a time with its day, which changes no columns", () => {
    const masking = new Masking(["time"], surroundings);
    expect(masking.mask("TIME (UTC)  X\n12:00:00    x")).toBe("TIME (UTC)  X\n<time>  x");
    expect(masking.mask("TIME (UTC)           X\n2026-01-01 12:00:00  x")).toBe("TIME (UTC)  X\n<time>  x");
  });

  it("hide an age, whatever its width", () => {
    const masking = new Masking(["age"], surroundings);
    expect(masking.mask("LAST SEEN  X\n5 s ago    pod/a")).toBe("LAST SEEN  X\n<age> ago  pod/a");
    expect(masking.mask("LAST SEEN          X\n500 ms ago, 2 times  p")).toBe("LAST SEEN  X\n<age> ago, 2 times  p");
    expect(masking.mask("failed 5 s ago: no")).toBe("failed <age> ago: no");
    expect(masking.mask("failed 5 s ago by")).toBe("failed <age> ago by");
  });

  it("are known by name, and those that have hidden nothing are reported", () => {
    expect(() => new Masking(["agee"], surroundings)).toThrow("there is no mask agee; there are folder, server, ");
    const masking = new Masking(["folder", "age"], surroundings);
    masking.mask("5 s ago");
    expect(masking.unused).toEqual(["folder"]);
  });
});

describe("the player of a transcript", () => {
  const played = async (section: string, head = HEAD): Promise<string> => {
    const transcript = parseTranscript("a.txt", `${head}\n${section}\n-- job.yaml --\nkind: Jub\n`);
    const player = await Player.start(transcript);
    try {
      return await player.play(transcript.sections[0]!);
    } finally {
      await player.stop();
    }
  };

  it("gives what is printed now, whatever the transcript says", async () => {
    const section =
      "## a\n\n$ stint nope\n2> stint: there is no command nope; stint --help lists them\nexit status 2\n";
    expect(await played(section.replace("nope;", "no;"))).toBe(section);
    expect(await played(section.replace("status 2", "status 3"))).toBe(section);
  });

  it("reads quoted words, variables and the files of the transcript", async () => {
    const section = "## a\n\n$ NO_COLOR=1 stint lint \"<folder>/job.yaml\" '--no such'\nexit status 0\n";
    expect(await played(section)).toContain("2> stint: unknown option '--no such'\n");
    expect(await played("## a\n\n$ stint lint <folder>/job.yaml\nexit status 0\n", `${HEAD}masks: folder\n`)).toContain(
      "2> <folder>/job.yaml:1:1: apiVersion is missing",
    );
  });

  it("refuses what it cannot play", async () => {
    await expect(played("## a\n\n$ ls\nexit status 0\n")).rejects.toThrow("ls does not run stint");
    await expect(played("## a\n\n> GET /\nstatus 200\n")).rejects.toThrow("GET / needs a server");
    await expect(played(SECTION, `${HEAD}server: http\n`)).rejects.toThrow("http is no server; there are serve, web");
  });
});
