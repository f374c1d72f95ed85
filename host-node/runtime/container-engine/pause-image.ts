/**
 * The image of the container that holds a pod's network and volumes while its other containers come and go. It has two
 * programs: one waits for ever, the other connects to a port. The image is made here, of some hundred bytes, so that
 * nothing has to be pulled.
 */
import { createHash } from "node:crypto";
import { UsageError } from "../../usage-error.ts";
import type { EngineClient, EngineVersion } from "./engine-client.ts";
import { CONNECT_CODE } from "./connect-program.ts";
import { tarArchive } from "./tar-archive.ts";

export const PAUSE_COMMAND = "/pause";
export const CONNECT_COMMAND = "/connect";
const REPOSITORY = "localhost/stint-pause";
const ELF_HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const LOAD_ADDRESS = 0x400000n;

/** The programs for each architecture, and the machine's number in an ELF file. */
const PROGRAMS: Readonly<Record<string, Programs>> = {
  // mov eax, 34 (pause); syscall; jmp to the start
  amd64: { machine: 62, pause: [0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7], connect: CONNECT_CODE.amd64 },
  // mov x0…x4, 0; mov x8, 73 (ppoll); svc 0; b to the start
  arm64: {
    machine: 183,
    pause: [0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, 0xd2800928, 0xd4000001, 0x17fffff9].flatMap(
      (word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24],
    ),
    connect: CONNECT_CODE.arm64,
  },
};

interface Programs {
  readonly machine: number;
  readonly pause: readonly number[];
  readonly connect: readonly number[];
}

/** Makes the image if the engine does not have it. @returns its id */
export async function makePauseImage(client: EngineClient, { architecture }: EngineVersion): Promise<string> {
  const programs = PROGRAMS[architecture];
  if (programs === undefined)
    throw new UsageError(
      `the engine runs on ${architecture}; allowed are ${Object.keys(PROGRAMS).join(" and ")}, for which there are programs that hold a pod's network`,
    );
  const archive = tarArchive([
    { path: PAUSE_COMMAND.slice(1), mode: 0o755, bytes: elf(programs, "pause") },
    { path: CONNECT_COMMAND.slice(1), mode: 0o755, bytes: elf(programs, "connect") },
  ]);
  const tag = createHash("sha256").update(archive).digest("hex").slice(0, 12);
  const images: { readonly Id: string; readonly RepoTags?: readonly string[] | null }[] = await client.json(
    "GET",
    "/images/json",
  );
  const found = images.find(({ RepoTags }) => RepoTags?.includes(`${REPOSITORY}-${tag}:latest`));
  if (found !== undefined) return found.Id;
  const query = { fromSrc: "-", repo: `${REPOSITORY}-${tag}`, platform: `linux/${architecture}` };
  const { status } = await client.json("POST", "/images/create", { query, body: archive });
  return status;
}

/** The program that connects to a port, as a file. Undefined: there is none for this architecture. */
export function connectProgram(architecture: string): Buffer | undefined {
  const programs = PROGRAMS[architecture];
  return programs && elf(programs, "connect");
}

/** A program of one segment. */
function elf(programs: Programs, name: "pause" | "connect"): Buffer {
  const { machine, [name]: code } = programs;
  const start = ELF_HEADER_BYTES + PROGRAM_HEADER_BYTES;
  const file = Buffer.alloc(start + code.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // 64 bits, little-endian
  file.writeUInt16LE(2, 16); // a program
  file.writeUInt16LE(machine, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(LOAD_ADDRESS + BigInt(start), 24); // where it begins
  file.writeBigUInt64LE(BigInt(ELF_HEADER_BYTES), 32);
  file.writeUInt16LE(ELF_HEADER_BYTES, 52);
  file.writeUInt16LE(PROGRAM_HEADER_BYTES, 54);
  file.writeUInt16LE(1, 56);
  const segment = ELF_HEADER_BYTES;
  file.writeUInt32LE(1, segment); // to be loaded
  file.writeUInt32LE(5, segment + 4); // readable and executable
  file.writeBigUInt64LE(LOAD_ADDRESS, segment + 16);
  file.writeBigUInt64LE(LOAD_ADDRESS, segment + 24);
  file.writeBigUInt64LE(BigInt(file.length), segment + 32);
  file.writeBigUInt64LE(BigInt(file.length), segment + 40);
  file.writeBigUInt64LE(0x1000n, segment + 48);
  file.set(code, start);
  return file;
}
