/**
 * The program that starts a command in a running container, gives a command a terminal, or connects to a port of a
 * container. It is Perl, because Node can neither enter a namespace nor open a terminal, and Perl is on nearly every
 * machine that has bubblewrap.
 *
 * Invariant: nothing runs inside a sandbox with more rights than its container. The program enters the namespaces with
 * the rights that the user has as their owner, and its child gives all of them up before it becomes the command (not in
 * a container without isolation, which has the user's rights, and at most a separate view: process-view.ts). The
 * bounding set and all capabilities go, no_new_privs and the container's seccomp filter come. Until then the kernel
 * lets no process of the container touch the child, because the child has capabilities that they lack. The program
 * itself stays outside the container's PID namespace. Its environment is empty; that of the command comes over a pipe.
 *
 * Leaves out processors other than x86-64 and arm64, and systems other than Linux.
 */
import { findProgram } from "./command.ts";

/** File descriptors of the program beside the standard ones. */
export const ENTER_FDS = {
  /** Here it reads the environment of the command: `NAME=value`, each with a NUL at its end. */
  environment: 3,
  /** Here it writes why the command could not start, or `connected`. */
  status: 4,
  /** Here it reads the size of the terminal, as often as it changes: `ROWS COLUMNS` and a newline. */
  sizes: 5,
  /** Here it reads the seccomp filter. */
  seccomp: 6,
} as const;

/**
 * The descriptor from which the first command of a container reads the sizes of its terminal: after those that bwrap
 * reads.
 */
export const SIZES_FD = 6;

/** What the program writes about a port when the connection is open. */
export const CONNECTED = "connected";
/** Its exit code when the command could not start. The status says why. */
export const NOT_STARTED = 125;

export interface EnterArguments {
  /**
   * `run` and `tty` start the command, `tty` with a terminal. `port` connects its standard streams to a port. `inside`
   * is for the first command of a container: it gives a terminal to it, uses only SIZES_FD beside the standard
   * descriptors, and leaves the environment as it is.
   */
  readonly mode: "run" | "tty" | "port" | "inside";
  /** A process of the container whose namespaces are entered; 0: none are. */
  readonly pid: number;
  /** The rights that the command keeps of those for entering the namespaces: none in a sandbox. */
  readonly rights: "none" | "those of the user";
  readonly hasSeccompFilter: boolean;
  readonly workingDirectory: string;
  /** The command, or the port. */
  readonly words: readonly string[];
}

/** Path of Perl; undefined where it is not installed. */
export function findPerl(): string | undefined {
  const found = findProgram("perl");
  return "path" in found ? found.path : undefined;
}

/** The command line of the program. */
export function enterCommand(perl: string, entering: EnterArguments): string[] {
  const { mode, pid, rights, hasSeccompFilter, workingDirectory, words } = entering;
  const switches = [rights === "none" ? "1" : "0", hasSeccompFilter ? "1" : "0"];
  return [perl, "-e", SCRIPT, mode, String(pid), ...switches, workingDirectory, ...words];
}

// The numbers of ioctls are those of <asm-generic/ioctls.h> and <linux/nsfs.h>, which both processors share.
const SCRIPT = String.raw`
use strict;
use Fcntl;
use POSIX ();
use Socket;

use constant { PR_SET_PDEATHSIG => 1, PR_CAPBSET_DROP => 24, PR_SET_NO_NEW_PRIVS => 38, SIGKILL => 9 };
use constant { SECCOMP_SET_MODE_FILTER => 1, CAPABILITY_VERSION_3 => 0x20080522, NS_GET_USERNS => 0xb701 };
use constant { TIOCSCTTY => 0x540e, TIOCSWINSZ => 0x5414, TIOCGPTN => 0x80045430, TIOCSPTLCK => 0x40045431 };
use constant { CHUNK => 65536, NOT_STARTED => ${NOT_STARTED} };
my %CALLS = (
  x86_64 => { setns => 308, prctl => 157, seccomp => 317, capset => 126 },
  aarch64 => { setns => 268, prctl => 167, seccomp => 277, capset => 91 },
);

my ($mode, $target, $gives_up, $has_filter, $directory, @words) = @ARGV;
my $status = $mode eq 'inside' ? *STDERR : inherited(${ENTER_FDS.status}, '>');
my $sizes = inherited($mode eq 'inside' ? ${SIZES_FD} : ${ENTER_FDS.sizes}, '<');
my $call = $CALLS{ (POSIX::uname())[4] };
$SIG{PIPE} = 'IGNORE';

make_input_reopenable() if $mode eq 'run' && -S STDIN;
enter() if $target;
connect_port($words[0]) if $mode eq 'port';
%ENV = map { split /=/, $_, 2 } grep { length } split /\0/, contents(${ENTER_FDS.environment}) if $mode ne 'inside';
my ($terminal, $terminal_path) = $mode eq 'run' ? () : open_terminal();

# The child leads its own process group, which SIGTERM ends: also a SIGTERM that comes before the child is known.
my ($child, $is_over);
$SIG{TERM} = sub { $is_over = 1; kill 'KILL', -$child, $child if $child };
$child = fork;
fail("fork: $!") unless defined $child;
become_command() unless $child;
kill 'KILL', -$child, $child if $is_over;
relay_terminal() if $terminal;
1 while waitpid($child, 0) != $child && $!{EINTR};
# Without tidying up, in which a SIGTERM would end this process: its status would hide that of the command.
POSIX::_exit($? & 127 ? 128 + ($? & 127) : $? >> 8);

sub fail { syswrite $status, join '', @_; POSIX::_exit(NOT_STARTED) }

sub inherited {
  my ($fd, $direction) = @_;
  open(my $handle, "$direction&=", $fd) or POSIX::_exit(NOT_STARTED);
  fcntl($handle, F_SETFD, FD_CLOEXEC);
  return $handle;
}

sub contents { my $handle = inherited($_[0], '<'); local $/; return scalar <$handle> // '' }

# A command may open /dev/stdin again, as a pipe and not as a socket. So another process carries to a pipe.
sub make_input_reopenable {
  pipe(my $reader, my $writer) or fail("pipe: $!");
  defined(my $carrier = fork) or fail("fork: $!");
  if (!$carrier) {
    POSIX::close($_) for 1, 2, fileno $reader, ${Object.values(ENTER_FDS).join(", ")};
    while (length(my $text = read_some(*STDIN))) { write_all($writer, $text) or last }
    POSIX::_exit(0);
  }
  POSIX::dup2(fileno $reader, 0);
}

# The namespaces belong to a user namespace, in which that of the processes may be nested. So they are entered from it.
# Without isolation root has made them without one.
sub enter {
  $call or fail('the numbers of system calls are not known for this processor');
  my %space;
  for my $name (qw(user cgroup ipc uts net pid mnt)) {
    my ($own, $other) = map { readlink "/proc/$_/ns/$name" } 'self', $target;
    next if defined $other && $own eq $other;
    open($space{$name}, '<', "/proc/$target/ns/$name") or fail("cannot open the container's namespace $name: $!");
  }
  my $inner = delete $space{user};
  my $outer = $inner && owner_of($space{mnt});
  set_namespace($outer, 'user') if $outer;
  set_namespace($space{$_}, $_) for grep { $space{$_} } qw(cgroup ipc uts net pid mnt);
  set_namespace($inner, 'user') if $outer && (stat $outer)[1] != (stat $inner)[1];
}

sub owner_of {
  my $owner = ioctl($_[0], NS_GET_USERNS, 0) or fail("cannot find the owner of the container: $!");
  return inherited($owner + 0, '<');
}

sub set_namespace {
  my ($handle, $name) = @_;
  syscall($call->{setns}, fileno $handle, 0) == 0 or fail("cannot enter the container's namespace $name: $!");
}

sub become_command {
  $SIG{TERM} = 'DEFAULT';
  syscall($call->{prctl}, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) if $target;
  POSIX::setsid();
  take_terminal() if $terminal;
  chdir $directory or fail(qq(chdir to cwd ("$directory") failed: ), lc $!);
  give_up_rights() if $target && $gives_up;
  $SIG{PIPE} = 'DEFAULT';
  no warnings;
  exec { $words[0] } @words;
  fail(qq(exec: "$words[0]": ), $!{ENOENT} && $words[0] !~ m{/} ? 'executable file not found in $PATH' : lc $!);
}

sub give_up_rights {
  for (my $capability = 0; syscall($call->{prctl}, PR_CAPBSET_DROP, $capability, 0, 0, 0) == 0; $capability++) {}
  syscall($call->{prctl}, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or fail("no_new_privs: $!");
  if ($has_filter) {
    my $filter = contents(${ENTER_FDS.seccomp});
    my $program = pack 'S x6 P', length($filter) / 8, $filter;
    syscall($call->{seccomp}, SECCOMP_SET_MODE_FILTER, 0, $program) == 0 or fail("seccomp: $!");
  }
  my ($header, $none) = (pack('L2', CAPABILITY_VERSION_3, 0), pack('L6', (0) x 6));
  syscall($call->{capset}, $header, $none) == 0 or fail("capset: $!");
}

sub open_terminal {
  sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or fail("cannot open a terminal: $!");
  my ($unlocked, $number) = (pack('i', 0), pack('i', 0));
  ioctl($master, TIOCSPTLCK, $unlocked) && ioctl($master, TIOCGPTN, $number) or fail("cannot make a terminal: $!");
  return ($master, '/dev/pts/' . unpack 'i', $number);
}

sub take_terminal {
  sysopen(my $own, $terminal_path, O_RDWR) or fail("cannot open $terminal_path: $!");
  ioctl($own, TIOCSCTTY, 0);
  POSIX::dup2(fileno $own, $_) for 0, 1, 2;
  close $terminal;
}

# Carries between the terminal and the standard streams until the command has closed the terminal.
sub relay_terminal {
  my %open = (input => *STDIN, sizes => $sizes);
  for (;;) {
    my $wanted = '';
    vec($wanted, fileno $_, 1) = 1 for $terminal, values %open;
    select(my $ready = $wanted, undef, undef, undef) > 0 or next;
    if ($open{sizes} && vec($ready, fileno $sizes, 1)) {
      my $text = read_some($sizes);
      delete $open{sizes} unless length $text;
      ioctl($terminal, TIOCSWINSZ, my $size = pack 'S4', $1, $2, 0, 0) if $text =~ /(\d+) (\d+)\n\z/;
    }
    if ($open{input} && vec($ready, fileno STDIN, 1)) {
      my $text = read_some(*STDIN);
      length $text ? write_all($terminal, $text) : delete $open{input};
    }
    if (vec($ready, fileno $terminal, 1)) {
      my $text = read_some($terminal);
      length $text or return;
      write_all(*STDOUT, $text);
    }
  }
}

# Nothing: the end, or an error.
sub read_some { sysread($_[0], my $text, CHUNK); return $text // '' }

sub write_all {
  my ($handle, $text) = @_;
  while (length $text) {
    my $count = syswrite $handle, $text;
    return 0 unless defined $count || $!{EINTR};
    substr $text, 0, $count // 0, '';
  }
  return 1;
}

sub connect_port {
  my ($port) = @_;
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or fail("socket: $!");
  connect($socket, sockaddr_in($port, INADDR_LOOPBACK)) or fail(lc $!);
  syswrite $status, '${CONNECTED}';
  close $status;
  my $has_input = 1;
  for (;;) {
    my $wanted = '';
    vec($wanted, fileno $_, 1) = 1 for $socket, $has_input ? *STDIN : ();
    select(my $ready = $wanted, undef, undef, undef) > 0 or next;
    if ($has_input && vec($ready, fileno STDIN, 1)) {
      my $text = read_some(*STDIN);
      $has_input = length $text && write_all($socket, $text);
      shutdown $socket, 1 unless $has_input;
    }
    if (vec($ready, fileno $socket, 1)) {
      my $text = read_some($socket);
      length $text && write_all(*STDOUT, $text) or exit 0;
    }
  }
}
`;
