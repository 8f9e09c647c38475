import { runCommand, usageOf } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { endWithParent } from './end-with-parent.ts';
import { processTerminal, type Terminal } from './files/terminal.ts';

const usage = `fanion: observability and feature flags in one server

${commands.map(({ name, summary }) => `  fanion ${name.padEnd(14)} ${summary}`).join('\n')}

fanion help COMMAND, or fanion COMMAND --help, shows the options of a command. fanion alone runs the server.
`;

/** Runs one command and returns its exit code. */
export async function run(argv: readonly string[], given?: Terminal): Promise<number> {
  const terminal = given ?? processTerminal();
  const [first, ...rest] = argv;
  if (first === undefined) return run(['serve'], given);
  if (first === '--version' || first === '-v') return run(['version'], given);
  if (first === '--help' || first === '-h' || first === 'help') {
    const asked = first === 'help' && rest.length > 0 ? found(rest)?.command : undefined;
    terminal.out(asked === undefined ? usage : usageOf(asked));
    return 0;
  }
  const match = found(argv);
  if (match === undefined) {
    const [, ...afterFirst] = argv;
    const written = hasSecondWord(first) ? [first, afterFirst[0] ?? ''].join(' ').trim() : first;
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

function hasSecondWord(first: string): boolean {
  return commands.some(({ name }) => name.startsWith(`${first} `));
}

/** A reader such as `head` has read enough. */
function endQuietly(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error;
  process.exit(0);
}
