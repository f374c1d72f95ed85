/**
 * A separate view of processes for a container that runs without isolation: a PID namespace and its /proc. Its
 * processes see and signal each other, and no other process of this machine.
 *
 * Invariant: nothing else changes. Files, network, user and rights are those of this user, except what a user namespace
 * takes away, which the kernel demands of every user but root: set-uid programs run without the rights of their owner,
 * and files of other users seem to belong to `nobody`. The command ends with its own exit code or signal. Its first
 * process is no init: that is the program here, which reaps orphans. When the command or the program outside ends, the
 * kernel ends every process of the view. So a view is no sandbox: what the user may do to files and sockets, a
 * container may, too.
 *
 * Leaves out processors other than x86-64 and arm64, systems other than Linux, and machines without Perl.
 */
import { spawnSync } from "node:child_process";
import { findPerl, SIZES_FD } from "./enter-script.ts";

export interface ProcessView {
  readonly perl: string;
  /** Root makes the namespaces with its rights; another user needs a user namespace for them. */
  readonly hasUserNamespace: boolean;
}

const TRIAL_LIMIT_MS = 10_000;
/** The exit status of a successful trial. No failing program ends with it. */
const TRIAL_STATUS = 73;
/** Its parent is the init, /proc is that of its namespace, and its status comes through. */
const TRIAL = `read -r pid rest < /proc/self/stat && [ "$PPID" = 1 ] && [ "$pid" = "$$" ] && exit ${TRIAL_STATUS}`;
/** The exit code when the view could not be made, or the command could not start. Standard error says why. */
const NOT_STARTED = 125;

let detected: { readonly view: ProcessView | undefined } | undefined;

/** The view that this machine allows; undefined: none. It is tried once, on first use. */
export function detectProcessView(): ProcessView | undefined {
  detected ??= { view: findView() };
  return detected.view;
}

function findView(): ProcessView | undefined {
  const perl = findPerl();
  if (perl === undefined || process.platform !== "linux" || callNumbers() === undefined) return undefined;
  const kinds = process.getuid!() === 0 ? [false, true] : [true];
  return kinds.map((hasUserNamespace) => ({ perl, hasUserNamespace })).find(viewWorks);
}

/** Makes a trial run. */
export function viewWorks(view: ProcessView): boolean {
  const [file, ...words] = viewCommand(view, "/bin/sh", ["sh", "-c", TRIAL]);
  const trial = spawnSync(file!, words, { timeout: TRIAL_LIMIT_MS, cwd: "/", env: {}, stdio: "ignore" });
  return trial.status === TRIAL_STATUS;
}

/** The command line of a program that runs another one in a view. @param words that one and its arguments */
export function viewCommand(
  { perl, hasUserNamespace }: ProcessView,
  file: string,
  words: readonly string[],
): readonly string[] {
  const { unshare, mount, prctl, setsid } = callNumbers()!;
  return [perl, "-e", SCRIPT, `${unshare} ${mount} ${prctl} ${setsid}`, hasUserNamespace ? "1" : "0", file, ...words];
}

/**
 * The environment of that program, which passes it to the command: variables such as PERL5OPT and LD_PRELOAD must not
 * change the program itself. Variables in `kept` keep their names, too.
 */
export function viewEnvironment(
  environment: Readonly<Record<string, string>>,
  kept: readonly string[],
): Record<string, string> {
  const hidden = Object.entries(environment).map(([name, value]) => [`${HIDDEN}${name}`, value]);
  return { ...Object.fromEntries(hidden), ...Object.fromEntries(kept.map((name) => [name, environment[name]!])) };
}

/** The prefix of the names of the command's variables. */
const HIDDEN = ".";

interface CallNumbers {
  readonly unshare: number;
  readonly mount: number;
  readonly prctl: number;
  readonly setsid: number;
}

/** The numbers of the system calls on this processor; undefined: they are not known. */
function callNumbers(): CallNumbers | undefined {
  if (process.arch === "x64") return { unshare: 272, mount: 165, prctl: 157, setsid: 112 };
  return process.arch === "arm64" ? { unshare: 97, mount: 40, prctl: 167, setsid: 157 } : undefined;
}

// Numbers of <sched.h>, <sys/mount.h> and <sys/prctl.h>, which both processors share.
const SPACES = 0x2000_0000 | 0x2_0000; // CLONE_NEWPID | CLONE_NEWNS
const USER_SPACE = 0x1000_0000; // CLONE_NEWUSER
const REC_SLAVE = 0x8_4000; // MS_REC | MS_SLAVE: what is mounted later on this machine is there, too
const PROC_FLAGS = 0xe; // MS_NOSUID | MS_NODEV | MS_NOEXEC
const DEATH_SIGNAL = 1; // PR_SET_PDEATHSIG
const DUMPABLE = 4; // PR_SET_DUMPABLE
const SIGKILL = 9;

// Without modules, which would take longer to load than everything else: so there is no EINTR here, and no handler of a
// signal that could cause one.
const SCRIPT = String.raw`
use strict;
my ($numbers, $has_user_space, $file, @words) = @ARGV;
my ($unshare, $mount, $prctl, $setsid) = split / /, $numbers;
$0 = 'stint-view';
my ($user, $group) = ($> + 0, $) + 0);
syscall($unshare + 0, ${SPACES} | ($has_user_space ? ${USER_SPACE} : 0)) == 0 or fail("unshare: $!");
if ($has_user_space) {
  put('setgroups', 'deny');
  put('uid_map', "$user $user 1");
  put('gid_map', "$group $group 1");
}

# What ended the command comes over a pipe: an init cannot end itself by a signal.
pipe(my $reader, my $writer) or fail("pipe: $!");
defined(my $init = fork) or fail("fork: $!");
become_init() unless $init;
close $writer;
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT);
close_streams();
my $status = '';
sysread $reader, $status, 16;
waitpid $init, 0;
$status = $? unless length $status; # The init was killed.
exit($status >> 8) unless $status & 127;
syscall($prctl + 0, ${DUMPABLE}, 0, 0, 0, 0);
$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP QUIT);
kill $status & 127, $$;
exit(128 + ($status & 127));

sub fail { syswrite STDERR, join '', @_, "\n"; exit ${NOT_STARTED} }

sub put {
  my ($name, $text) = @_;
  open(my $handle, '>', "/proc/self/$name") or fail("/proc/self/$name: $!");
  syswrite($handle, $text) or fail("/proc/self/$name: $!");
}

sub become_init {
  close $reader;
  syscall($prctl + 0, ${DEATH_SIGNAL}, ${SIGKILL}, 0, 0, 0);
  my ($proc, $root, $folder) = ('proc', '/', '/proc'); # A system call wants text that it could change.
  syscall($mount + 0, $proc, $root, 0, ${REC_SLAVE}, 0) == 0 or fail("mount: $!");
  syscall($mount + 0, $proc, $folder, $proc, ${PROC_FLAGS}, 0) == 0 or fail("mount /proc: $!");
  defined(my $command = fork) or fail("fork: $!");
  become_command() unless $command;
  close_streams();
  while ((my $ended = waitpid -1, 0) != $command) { last if $ended < 0 }
  syswrite $writer, $?;
  exit 0;
}

# It leads a new session and process group, so a signal for its group reaches neither the init nor the program outside.
sub become_command {
  syscall($setsid + 0);
  %ENV = map { (substr($_, ${HIDDEN.length}), $ENV{$_}) } grep { /^\Q${HIDDEN}\E/ } keys %ENV;
  no warnings;
  exec { $file } @words;
  fail(qq(exec: "$words[0]": ), lc $!);
}

# Only the command holds its input and output open, and what it reads the sizes of its terminal from.
sub close_streams {
  close $_ for *STDIN, *STDOUT, *STDERR;
  my $sizes;
  close $sizes if open($sizes, '<&=', ${SIZES_FD});
}
`;
