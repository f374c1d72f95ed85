/**
 * A program for the container that holds a pod's network: it connects its standard streams to a port of the pod. So a
 * port is reached with what every engine has, a command in a container, wherever the engine runs and whatever the
 * images of the pod have in them.
 *
 * It writes one byte when the connection is open, and ends with the number of the error if it cannot be opened. Two
 * processes carry one direction each, so that neither waits for the other. When the client of a connection has gone,
 * the connection is closed to writing at once, and completely five minutes later, unless its server has done that.
 * Leaves out IPv6.
 */

/** The instructions for each architecture, as its assembler lists them. */
export const CONNECT_CODE: Readonly<Record<"amd64" | "arm64", readonly number[]>> = {
  amd64: listed(`
start: the port is the first argument, in decimal digits
  488b742410      mov rsi, [rsp+16]
  31db            xor ebx, ebx
digit:
  31c0            xor eax, eax
  ac              lodsb
  2c30            sub al, 48
  7207            jb connect
  6bdb0a          imul ebx, ebx, 10
  01c3            add ebx, eax
  ebf2            jmp digit
connect: to 127.0.0.1
  6a29            push 41 ; socket
  58              pop rax
  6a02            push 2
  5f              pop rdi
  6a01            push 1
  5e              pop rsi
  31d2            xor edx, edx
  0f05            syscall
  89c5            mov ebp, eax
  86fb            xchg bl, bh
  c1e310          shl ebx, 16
  83cb02          or ebx, 2
  b87f000001      mov eax, 0x100007f
  48c1e020        shl rax, 32
  4809d8          or rax, rbx
  6a00            push 0
  50              push rax
  89ef            mov edi, ebp
  4889e6          mov rsi, rsp
  6a10            push 16
  5a              pop rdx
  6a2a            push 42 ; connect
  58              pop rax
  0f05            syscall
  f7d8            neg eax
  7541            jnz exit
  6a01            push 1 ; write
  58              pop rax
  89c7            mov edi, eax
  89c2            mov edx, eax
  0f05            syscall
  4881ec00000100  sub rsp, 65536
  6a39            push 57 ; fork
  58              pop rax
  0f05            syscall
  89c3            mov ebx, eax
  85c0            test eax, eax
  742d            jz child
  4189ec          mov r12d, ebp
  6a01            push 1
  415d            pop r13
  e852000000      call copy
  89df            mov edi, ebx
  6a09            push 9
  5e              pop rsi
  6a3e            push 62 ; kill
  58              pop rax
  0f05            syscall
  89df            mov edi, ebx
  31f6            xor esi, esi
  31d2            xor edx, edx
  4531d2          xor r10d, r10d
  6a3d            push 61 ; wait4
  58              pop rax
  0f05            syscall
  31c0            xor eax, eax
exit: with the number of an error, or 0
  89c7            mov edi, eax
  6a3c            push 60 ; exit
  58              pop rax
  0f05            syscall
child: carries what comes on standard input
  4531e4          xor r12d, r12d
  4189ed          mov r13d, ebp
  e826000000      call copy
  89ef            mov edi, ebp
  6a01            push 1
  5e              pop rsi
  6a30            push 48 ; shutdown
  58              pop rax
  0f05            syscall
  31ff            xor edi, edi
  31f6            xor esi, esi
  bae0930400      mov edx, 300000
  6a07            push 7 ; poll
  58              pop rax
  0f05            syscall
  89ef            mov edi, ebp
  6a02            push 2
  5e              pop rsi
  6a30            push 48 ; shutdown
  58              pop rax
  0f05            syscall
  31c0            xor eax, eax
  ebc8            jmp exit
copy: from one descriptor to the other, until its end
  4489e7          mov edi, r12d
  488d742408      lea rsi, [rsp+8]
  ba00000100      mov edx, 65536
  31c0            xor eax, eax ; read
  0f05            syscall
  4989c6          mov r14, rax
  4885c0          test rax, rax
  7e1a            jle done
write:
  4489ef          mov edi, r13d
  4c89f2          mov rdx, r14
  6a01            push 1 ; write
  58              pop rax
  0f05            syscall
  4885c0          test rax, rax
  7e0a            jle done
  4801c6          add rsi, rax
  4929c6          sub r14, rax
  75e8            jnz write
  ebcd            jmp copy
done:
  c3              ret
`),
  arm64: listed(`
start: the port is the first argument, in decimal digits
  e10b40f9        ldr x1, [sp, #16]
  13008052        mov w19, #0
  43018052        mov w3, #10
digit:
  22144038        ldrb w2, [x1], #1
  42c00071        subs w2, w2, #48
  63000054        b.lo connect
  730a031b        madd w19, w19, w3, w2
  fcffff17        b digit
connect: to 127.0.0.1
  400080d2        mov x0, #2
  210080d2        mov x1, #1
  020080d2        mov x2, #0
  c81880d2        mov x8, #198 ; socket
  010000d4        svc #0
  f403002a        mov w20, w0
  7306c05a        rev16 w19, w19
  733e1053        lsl w19, w19, #16
  73021f32        orr w19, w19, #2
  e10f8052        mov w1, #127
  0120a072        movk w1, #256, lsl #16
  738201aa        orr x19, x19, x1, lsl #32
  f37fbfa9        stp x19, xzr, [sp, #-16]!
  e003142a        mov w0, w20
  e1030091        mov x1, sp
  020280d2        mov x2, #16
  681980d2        mov x8, #203 ; connect
  010000d4        svc #0
  e003004b        neg w0, w0
  a0030035        cbnz w0, exit
  200080d2        mov x0, #1
  220080d2        mov x2, #1
  080880d2        mov x8, #64 ; write
  010000d4        svc #0
  ff4340d1        sub sp, sp, #16, lsl #12
  200280d2        mov x0, #17
  010080d2        mov x1, #0
  020080d2        mov x2, #0
  030080d2        mov x3, #0
  040080d2        mov x4, #0
  881b80d2        mov x8, #220 ; clone
  010000d4        svc #0
  f503002a        mov w21, w0
  20020034        cbz w0, child
  f603142a        mov w22, w20
  37008052        mov w23, #1
  23000094        bl copy
  e003152a        mov w0, w21
  210180d2        mov x1, #9
  281080d2        mov x8, #129 ; kill
  010000d4        svc #0
  e003152a        mov w0, w21
  010080d2        mov x1, #0
  020080d2        mov x2, #0
  030080d2        mov x3, #0
  882080d2        mov x8, #260 ; wait4
  010000d4        svc #0
  00008052        mov w0, #0
exit: with the number of an error, or 0
  a80b80d2        mov x8, #93 ; exit
  010000d4        svc #0
child: carries what comes on standard input
  16008052        mov w22, #0
  f703142a        mov w23, w20
  13000094        bl copy
  e003142a        mov w0, w20
  210080d2        mov x1, #1
  481a80d2        mov x8, #210 ; shutdown
  010000d4        svc #0
  812580d2        mov x1, #300
  e17f00a9        stp x1, xzr, [sp]
  000080d2        mov x0, #0
  010080d2        mov x1, #0
  e2030091        mov x2, sp
  030080d2        mov x3, #0
  280980d2        mov x8, #73 ; ppoll
  010000d4        svc #0
  e003142a        mov w0, w20
  410080d2        mov x1, #2
  481a80d2        mov x8, #210 ; shutdown
  010000d4        svc #0
  00008052        mov w0, #0
  eaffff17        b exit
copy: from one descriptor to the other, until its end
  e003162a        mov w0, w22
  e1030091        mov x1, sp
  2200a0d2        mov x2, #65536
  e80780d2        mov x8, #63 ; read
  010000d4        svc #0
  f80300aa        mov x24, x0
  1f0000f1        cmp x0, #0
  6d010054        b.le done
write:
  e003172a        mov w0, w23
  e20318aa        mov x2, x24
  080880d2        mov x8, #64 ; write
  010000d4        svc #0
  1f0000f1        cmp x0, #0
  ad000054        b.le done
  2100008b        add x1, x1, x0
  180300eb        subs x24, x24, x0
  01ffff54        b.ne write
  efffff17        b copy
done:
  c0035fd6        ret
`),
};

/** Reads the bytes of a listing: they come first on a line that is indented. */
function listed(listing: string): readonly number[] {
  const bytes = listing.split("\n").map((line) => /^ +([0-9a-f]+) /.exec(line)?.[1] ?? "");
  return [...Buffer.from(bytes.join(""), "hex")];
}
