import { type Command, runCommand, usageOf } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { endWithParent } from './end-with-parent.ts';
import { processTerminal, type Terminal } from './files/terminal.ts';

const helpFlags = ['--help', '-h'];

const usage = `fanion: observability and feature flags in one server

${linesOf(commands)}

fanion help COMMAND, or fanion COMMAND --help, shows the options of a command. fanion alone runs the server.
`;

function linesOf(some: readonly Command[]): string {
  return some.map(({ name, summary }) => `  fanion ${name.padEnd(14)} ${summary}`).join('\n');
}

/** Runs one command and returns its exit code. */
export async function run(argv: readonly string[], given?: Terminal): Promise<number> {
  const terminal = given ?? processTerminal();
  const [first, ...rest] = argv;
  if (first === undefined) return run(['serve'], given);
  if (first === '--version' || first === '-v') return run(['version'], given);
  if (helpFlags.includes(first) || first === 'help') {
    const asked = found(rest)?.command;
    const group = groupOf(rest[0]);
    terminal.out(asked !== undefined ? usageOf(asked) : group.length > 0 ? linesOf(group) : usage);
    return 0;
  }
  const match = found(argv);
  if (match === undefined) {
    const group = groupOf(first);
    if (group.length > 0 && rest.every((word) => helpFlags.includes(word))) {
      terminal[rest.length > 0 ? 'out' : 'err'](linesOf(group));
      return rest.length > 0 ? 0 : 2;
    }
    const written = group.length > 0 ? `${first} ${rest[0]}` : first;
    const { nearest } = await import('@fanion/oql');
    const meant = nearest(
      written,
      commands.map(({ name }) => name),
    );
    terminal.err(
      `fanion: unknown command "${written}"${meant === undefined ? '' : `; did you mean fanion ${meant}?`}\n\n${usage}`,
    );
    return 2;
  }
  if (match.command.lasts) {
    endWithParent();
    // When the reader of the output exits, keep running until everything is written.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  } else if (given === undefined) process.stdout.on('error', endQuietly);
  return runCommand(match.command, match.rest, terminal);
}

function found(argv: readonly string[]) {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, at) => argv[at] === word)) return { command, rest: argv.slice(words.length) };
  }
  return undefined;
}

/** The commands of two words that begin with this one. */
function groupOf(first: string | undefined): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${first} `));
}

/** A reader such as `head` has read enough. */
function endQuietly(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error;
  process.exit(0);
}
