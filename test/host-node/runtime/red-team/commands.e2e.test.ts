/** Commands that clients start in a running container: they must have no more than the container, at no moment. */
import { text } from "node:stream/consumers";
import { afterAll, expect, it } from "vitest";
import { canJoin, createPod, podOf, type Run, start } from "../running.ts";
import { redTeam, sandboxed } from "./attempts.ts";

/** Prints the name of each process whose memory it can open before the process has a filter of system calls. */
const STALKER = `
  $| = 1;
  print "stalking\\n";
  sub is_filtered { open(my $file, "<", $_[0]) or return 1; return join("", <$file>) =~ /^Seccomp:\\t2$/m }
  for (;;) {
    for my $status (glob "/proc/[0-9]*/status") {
      next if is_filtered($status);
      open(my $memory, "+<", $status =~ s/status$/mem/r) or next;
      print "opened $status\\n" unless is_filtered($status);
    }
  }
`;

/** The lines of a list of descriptors that are neither the standard ones nor harmless. */
function otherDescriptors(list: string): string[] {
  // `ls` itself reads a folder of /proc. Descriptors that the caller of the tests left open are /dev/null.
  const isOther = (line: string): boolean => /-> /.test(line) && !/ [012] -> |-> (\/dev\/null|\/proc\/)/.test(line);
  return list.split("\n").filter(isOther);
}

redTeam("commands of clients", () => {
  const runtime = sandboxed({ isInteractive: true });
  const running: Run[] = [];
  afterAll(() => running.forEach(({ handle }) => handle.stop(0)));

  async function containerOf(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const pod = podOf(command);
    await createPod(runtime, pod);
    const container = start(
      runtime,
      pod,
      Object.entries(env).map(([name, value]) => ({ name, value })),
    );
    running.push(container);
    await container.outputHas("\n");
    await canJoin(runtime, pod.metadata.uid);
    return pod.metadata.uid;
  }

  async function output(uid: string, script: string): Promise<string> {
    const words = ["sh", "-c", script];
    const command = runtime.streams.start(uid, "main", { words, hasInput: false, hasTerminal: false });
    command.stderr.resume();
    const out = await text(command.stdout);
    await command.end;
    return out;
  }
  const idle = ["sh", "-c", "echo ready; exec sleep 1000"];

  it("has other rights, limits or namespaces than the container", async () => {
    const uid = await containerOf(idle);
    // Process 2 is the container's own command.
    const facts = (pid: string): string =>
      `grep -E '^(Uid|Gid|Groups|Cap.*|NoNewPrivs|Seccomp.*):' /proc/${pid}/status; cat /proc/${pid}/limits /proc/${pid}/oom_score_adj; for name in user mnt pid net ipc uts cgroup; do readlink /proc/${pid}/ns/$name; done`;
    const own = await output(uid, facts("2"));
    expect(own).toContain("CapBnd:\t0000000000000000\n");
    expect(own).toMatch(/user:\[\d+\]\nmnt:/);
    expect(await output(uid, facts("$$"))).toBe(own);
  });

  it("finds a descriptor of the program that entered", async () => {
    const found = await output(await containerOf(idle), "exec ls -l /proc/self/fd");
    expect(found).toContain(" 0 -> /dev/null\n");
    expect(otherDescriptors(found)).toEqual([]);
  });

  it("finds a descriptor of the program that gives a container its terminal", async () => {
    const pod = podOf(["sh", "-c", "ls -l /proc/self/fd; echo listed; exec sleep 1000"], { stdin: true, tty: true });
    await createPod(runtime, pod);
    const container = start(runtime, pod);
    running.push(container);
    await container.outputHas("listed");
    expect(container.stdout()).toMatch(/ 0 -> \/dev\/pts\/\d+\r\n/);
    expect(otherDescriptors(container.stdout())).toEqual([]);
  });

  it("makes a user namespace in a command", async () => {
    expect(await output(await containerOf(idle), "unshare --user true || echo refused")).toBe("refused\n");
  });

  it("takes over a command before it has given up the rights with which it entered", async () => {
    const uid = await containerOf(["perl", "-e", STALKER]);
    for (let i = 0; i < 30; i++) expect(await output(uid, "echo still my own")).toBe("still my own\n");
    expect(running.at(-1)!.stdout()).toBe("stalking\n");
  });

  it("has variables change the program that enters", async () => {
    const uid = await containerOf(["sh", "-c", "echo ready; exec sleep 1000"], {
      PERL5OPT: "-Mno_such_module",
      PERL5LIB: "/tmp",
      PERL5DB: "exit 3",
    });
    expect(await output(uid, "echo $PERL5OPT")).toBe("-Mno_such_module\n");
  });
});
