/** The control groups of this program are found in what the kernel says, on machines of every layout. */
import { expect, it } from "vitest";
import { type KernelTexts, ownGroupOf, RESOURCES } from "../../../../host-node/runtime/control-groups/own-groups.ts";

const V1_MOUNTS = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory`;
const V2_MOUNT = "26 25 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
const V2_OWN = "0::/user.slice/user-1000.slice/run-7.scope\n";

function texts(groups: string, mounts: string, controllers = ""): KernelTexts {
  return { groups, mounts, controllersOf: () => controllers };
}
const found = (from: KernelTexts): unknown[] => RESOURCES.map((resource) => ownGroupOf(resource, from));

it("the program's own group is one of version 2, for what it was given", () => {
  const own = { version: 2, path: "/sys/fs/cgroup/user.slice/user-1000.slice/run-7.scope" };
  expect(found(texts(V2_OWN, V2_MOUNT, "cpu io memory pids\n"))).toEqual([own, own]);
  expect(found(texts(V2_OWN, V2_MOUNT, "memory pids\n"))).toEqual([
    { problem: `the control group ${own.path} was not given the controller cpu` },
    own,
  ]);
});

it("the program's own group is one of version 1 for each controller", () => {
  expect(found(texts("4:memory:/a\n2:cpu,cpuacct:/\n0::/\n", V1_MOUNTS))).toEqual([
    { version: 1, path: "/sys/fs/cgroup/cpu,cpuacct" },
    { version: 1, path: "/sys/fs/cgroup/memory/a" },
  ]);
});

it("the program's own group is of version 1 where both are mounted and version 1 has the controller, otherwise of version 2", () => {
  const onlyMemory = V1_MOUNTS.split("\n").filter((line) => !line.includes("cpu,"));
  const mounts = [...onlyMemory, "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"].join("\n");
  expect(found(texts("4:memory:/a\n0::/b\n", mounts, "cpu hugetlb\n"))).toEqual([
    { version: 2, path: "/sys/fs/cgroup/unified/b" },
    { version: 1, path: "/sys/fs/cgroup/memory/a" },
  ]);
});

it("the program's own group is found where a group is mounted as if it were the root", () => {
  const mounts = "35 31 0:32 /docker/c1 /sys/fs/my\\040groups ro - cgroup cgroup rw,memory";
  expect(ownGroupOf("memory", texts("4:memory:/docker/c1/own\n", mounts))).toEqual({
    version: 1,
    path: "/sys/fs/my groups/own",
  });
  const problem = "the control group for memory is not mounted";
  expect(ownGroupOf("memory", texts("4:memory:/docker/other\n", mounts))).toEqual({ problem });
  expect(ownGroupOf("memory", texts("4:memory:/../other\n", V1_MOUNTS))).toEqual({ problem });
  expect(ownGroupOf("memory", texts("", V1_MOUNTS))).toEqual({ problem });
  // A cgroup namespace begins below what is mounted: that is the group of another program.
  const above = mounts.replace("/docker/c1", "/../..");
  expect(ownGroupOf("memory", texts("4:memory:/\n", above))).toEqual({ problem });
});

it("the program's own group is none where nothing is mounted, or there is no /proc", () => {
  expect(found(texts("0::/\n", ""))).toEqual([
    { problem: "no control group for cpu is mounted" },
    { problem: "no control group for memory is mounted" },
  ]);
});
