/**
 * The system calls that containers inside bubblewrap may not make, as a seccomp filter: an array of classic BPF for the
 * kernel. The filter refuses calls that reach past namespaces (keyrings, sockets between virtual machines), and calls
 * that could take over bwrap's own first process. It also refuses calls that containers do not need and in which
 * kernels have had holes (new user namespaces, BPF, performance events, io_uring), much as Docker does. All other calls
 * pass; bwrap takes care of capabilities and mounts. Leaves out processors other than x86-64 and arm64.
 */

interface Architecture {
  /** AUDIT_ARCH_… of linux/audit.h */
  readonly audit: number;
  /** Call numbers from this one on belong to another ABI of the same processor. */
  readonly foreignFrom: number | undefined;
  /** Numbers of system calls, by name. */
  readonly calls: Readonly<Record<CallName, number>>;
}

type CallName =
  | "add_key"
  | "request_key"
  | "keyctl"
  | "bpf"
  | "perf_event_open"
  | "userfaultfd"
  | "io_uring_setup"
  | "io_uring_enter"
  | "io_uring_register"
  | "clone"
  | "clone3"
  | "unshare"
  | "socket"
  | "ptrace"
  | "process_vm_readv"
  | "process_vm_writev";

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    calls: {
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      io_uring_setup: 425,
      io_uring_enter: 426,
      io_uring_register: 427,
      clone: 56,
      clone3: 435,
      unshare: 272,
      socket: 41,
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    foreignFrom: undefined,
    calls: {
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      io_uring_setup: 425,
      io_uring_enter: 426,
      io_uring_register: 427,
      clone: 220,
      clone3: 435,
      unshare: 97,
      socket: 198,
      ptrace: 117,
      process_vm_readv: 270,
      process_vm_writev: 271,
    },
  },
};

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const CLONE_NEWUSER = 0x10000000;
const AF_VSOCK = 40;
/** bwrap's own process: the first of the sandbox, and the only one without the filter. */
const FIRST_PROCESS = 1;

const ALWAYS: readonly CallName[] = [
  ...(["add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"] as const),
  ...(["io_uring_setup", "io_uring_enter", "io_uring_register"] as const),
];

/** A call that is refused for one value (or, with `isMask`, one bit) of one argument. */
interface ArgumentRule {
  readonly call: CallName;
  readonly argument: number;
  readonly value: number;
  readonly isMask?: boolean;
  readonly errno: number;
}
const BY_ARGUMENT: readonly ArgumentRule[] = [
  { call: "clone", argument: 0, value: CLONE_NEWUSER, isMask: true, errno: EPERM },
  { call: "unshare", argument: 0, value: CLONE_NEWUSER, isMask: true, errno: EPERM },
  { call: "socket", argument: 0, value: AF_VSOCK, errno: EAFNOSUPPORT },
  { call: "ptrace", argument: 1, value: FIRST_PROCESS, errno: EPERM },
  { call: "process_vm_readv", argument: 0, value: FIRST_PROCESS, errno: EPERM },
  { call: "process_vm_writev", argument: 0, value: FIRST_PROCESS, errno: EPERM },
];

// linux/bpf_common.h and linux/seccomp.h
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
/** Both processors are little-endian: the lower half of an argument comes first. */
const argumentOffset = (index: number): number => 16 + 8 * index;

/** The filter for this processor; undefined if its system calls are not known here. */
export function seccompFilter(processor: string = process.arch): Uint8Array | undefined {
  const architecture = ARCHITECTURES[processor];
  if (architecture === undefined) return undefined;
  const { audit, foreignFrom, calls } = architecture;
  const refuse = (errno: number): Instruction => [RETURN, 0, 0, REFUSE | errno];
  return encode([
    [LOAD_WORD, 0, 0, ARCHITECTURE_OFFSET],
    // 32-bit programs use other numbers for all these calls, so they are refused.
    [JUMP_IF_EQUAL, 1, 0, audit],
    refuse(ENOSYS),
    [LOAD_WORD, 0, 0, NUMBER_OFFSET],
    ...(foreignFrom === undefined ? [] : ([[JUMP_IF_AT_LEAST, 0, 1, foreignFrom], refuse(ENOSYS)] as Instruction[])),
    ...ALWAYS.flatMap((call): Instruction[] => [[JUMP_IF_EQUAL, 0, 1, calls[call]], refuse(EPERM)]),
    // The flags of clone3 are in memory, which a filter cannot read. Programs fall back to clone.
    [JUMP_IF_EQUAL, 0, 1, calls.clone3],
    refuse(ENOSYS),
    ...BY_ARGUMENT.flatMap(({ call, argument, value, isMask, errno }): Instruction[] => [
      [JUMP_IF_EQUAL, 0, 4, calls[call]],
      [LOAD_WORD, 0, 0, argumentOffset(argument)],
      [isMask === true ? JUMP_IF_ANY_BIT : JUMP_IF_EQUAL, 0, 1, value],
      refuse(errno),
      [LOAD_WORD, 0, 0, NUMBER_OFFSET],
    ]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

/** Code, how many instructions to skip when true and when false, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, i * 8 + 4);
  });
  return bytes;
}
