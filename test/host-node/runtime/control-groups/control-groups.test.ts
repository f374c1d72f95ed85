/** Which control groups are made, what is written to them, and what is left of them; on a kernel in memory. */
import { expect, it } from "vitest";
import { CHILD_PID, FakeKernel, groupsOf, OWN_PID, START_TICKS, V1, V2 } from "./fake-kernel.ts";

const OURS = `stint-${OWN_PID}-${START_TICKS}-`;
const LIMITS = { cpu: 200, memory: 64 * 1024 * 1024 };
const v1Kernel = (): FakeKernel => new FakeKernel({ [V1.cpu]: [1, OWN_PID], [V1.memory]: [OWN_PID] });
const v2Kernel = (...pids: number[]): FakeKernel => new FakeKernel({ [V2.path]: pids });

it("a container has a group in each hierarchy of version 1", () => {
  const kernel = v1Kernel();
  kernel.files = ["memory.memsw.limit_in_bytes"];
  const groups = groupsOf(kernel, V1.texts);
  expect([groups.problemOf("cpu"), groups.problemOf("memory")]).toEqual([undefined, undefined]);
  kernel.writes.length = 0;
  const group = groups.make("run", LIMITS)!;
  expect(group.paths).toEqual([`${V1.cpu}/${OURS}run-1`, `${V1.memory}/${OURS}run-1`]);
  expect(kernel.writes).toEqual([
    `${V1.cpu}/${OURS}run-1/cpu.cfs_period_us 100000`,
    `${V1.cpu}/${OURS}run-1/cpu.cfs_quota_us 20000`,
    `${V1.memory}/${OURS}run-1/memory.limit_in_bytes 67108864`,
    `${V1.memory}/${OURS}run-1/memory.memsw.limit_in_bytes 67108864`,
  ]);
  expect(groups.prefixes("run")).toEqual([`${V1.cpu}/${OURS}run-`, `${V1.memory}/${OURS}run-`]);
  group.remove();
  expect([...kernel.groups.keys()]).toEqual([V1.cpu, V1.memory]);
});

it("a container has one group for both where version 1 has them in one hierarchy", () => {
  const path = "/sys/fs/cgroup/cpu,memory";
  const mounts = `32 31 0:29 / ${path} rw - cgroup cgroup rw,cpu,memory`;
  const groups = groupsOf(new FakeKernel({ [path]: [OWN_PID] }), { ...V1.texts, mounts, groups: "2:cpu,memory:/\n" });
  expect(groups.make("run", LIMITS)!.paths).toEqual([`${path}/${OURS}run-1`]);
});

it("a container has one group for all limits in version 2, and leaves the own one for it until the end", () => {
  const kernel = v2Kernel(OWN_PID, CHILD_PID);
  kernel.files = ["memory.oom.group"];
  const groups = groupsOf(kernel, V2.texts);
  expect([groups.problemOf("cpu"), groups.problemOf("memory")]).toEqual([undefined, undefined]);
  expect([...kernel.groups.get(`${V2.path}/${OURS}host`)!.pids]).toEqual([OWN_PID, CHILD_PID]);
  kernel.writes.length = 0;
  const group = groups.make("run", LIMITS)!;
  expect(group.paths).toEqual([`${V2.path}/${OURS}run-1`]);
  expect(kernel.writes).toEqual([
    `${V2.path}/${OURS}run-1/cpu.max 20000 100000`,
    `${V2.path}/${OURS}run-1/memory.max 67108864`,
    `${V2.path}/${OURS}run-1/memory.oom.group 1`,
  ]);
  group.remove();
  groups.restore();
  expect([...kernel.groups.keys()]).toEqual([V2.path]);
  expect([...kernel.groups.get(V2.path)!.pids]).toEqual([OWN_PID, CHILD_PID]);
  expect(kernel.read(`${V2.path}/cgroup.subtree_control`)).toBe("");
});

it("a container moves no other program out of the group of version 2", () => {
  const kernel = v2Kernel(50, OWN_PID);
  const groups = groupsOf(kernel, V2.texts);
  expect(groups.problemOf("cpu")).toBe(
    `no control group can be made in ${V2.path}: other programs are in it too (process 50); start this one in a separate group`,
  );
  expect(groups.make("run", LIMITS)).toBeUndefined();
  expect([...kernel.groups.get(V2.path)!.pids]).toEqual([50, OWN_PID]);
  expect(kernel.writes).toEqual([]);
});

it("a container takes what was handed down already", () => {
  const kernel = v2Kernel();
  kernel.groups.get(V2.path)!.files.set("cgroup.subtree_control", "cpu memory");
  expect(groupsOf(kernel, V2.texts).make("run", LIMITS)!.paths).toHaveLength(1);
  expect(kernel.folders(V2.path)).toEqual([`${OURS}run-1`]);
});

it("a control group is only for limits that there are, and that can be kept", () => {
  const kernel = v1Kernel();
  kernel.closed = /memory/;
  const groups = groupsOf(kernel, V1.texts);
  expect(groups.problemOf("memory")).toBe(`no control group can be made in ${V1.memory}: EROFS: refused`);
  expect(groups.make("run", LIMITS)!.hasMemoryLimit).toBe(false);
  for (const limits of [{}, { memory: 1 }, { cpu: 0 }]) expect(groups.make("run", limits)).toBeUndefined();
});

it("a control group asks for no less processor time than the kernel grants", () => {
  const kernel = v1Kernel();
  groupsOf(kernel, V1.texts).make("run", { cpu: 1 });
  expect(kernel.writes.at(-1)).toBe(`${V1.cpu}/${OURS}run-1/cpu.cfs_quota_us 1000`);
});

it("a limit is not promised where no process can join, and everything is as before", () => {
  const kernel = v2Kernel(OWN_PID);
  const groups = groupsOf(kernel, V2.texts, { tryToJoin: () => "Permission denied" });
  expect(groups.problemOf("memory")).toBe(`no process can join a control group in ${V2.path}: Permission denied`);
  expect([...kernel.groups.keys()]).toEqual([V2.path]);
  expect([...kernel.groups.get(V2.path)!.pids]).toEqual([OWN_PID]);
});

it("a container leaves nothing of a group whose limit the kernel refuses", () => {
  const kernel = v1Kernel();
  const groups = groupsOf(kernel, V1.texts);
  kernel.closed = /limit_in_bytes/;
  expect(() => groups.make("run", LIMITS)).toThrow("EACCES");
  expect([...kernel.groups.keys()]).toEqual([V1.cpu, V1.memory]);
});

it("the runtime removes what runs that are over have left, and nothing else", () => {
  const kernel = v1Kernel();
  const others = ["stint-40-1-run-1", "stint-41-5-run-1", "stint-40-1-run-2", "docker", "stint-x"];
  for (const name of others) kernel.makeFolder(`${V1.cpu}/${name}`);
  kernel.groups.get(`${V1.cpu}/stint-40-1-run-2`)!.pids.add(60);
  groupsOf(kernel, V1.texts, { startTicksOf: (pid) => ({ [OWN_PID]: START_TICKS, 41: 5 })[pid] ?? 0 });
  expect(kernel.folders(V1.cpu)).toEqual(["stint-41-5-run-1", "stint-40-1-run-2", "docker", "stint-x"]);
});

it.each([
  { version: 1, kernel: v1Kernel(), texts: V1.texts, file: "memory.oom_control", before: "oom_kill_disable 0\n" },
  { version: 2, kernel: v2Kernel(OWN_PID), texts: V2.texts, file: "memory.events", before: "oom 3\n" },
])("the runtime knows from version $version that the kernel has ended a process", ({ kernel, texts, file, before }) => {
  const group = groupsOf(kernel, texts).make("run", LIMITS)!;
  const { files } = kernel.groups.get(group.paths.at(-1)!)!;
  expect(group.hasRunOutOfMemory()).toBe(false);
  files.set(file, `${before}oom_kill 0\n`);
  expect(group.hasRunOutOfMemory()).toBe(false);
  files.set(file, `${before}oom_kill 2\n`);
  expect(group.hasRunOutOfMemory()).toBe(true);
});
