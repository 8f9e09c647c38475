import { ApiError } from '@fanion/contract';
import { connectionUsage, UsageError } from './connection-options.ts';
import { InvalidFiles } from './documents.ts';
import type { Terminal } from './terminal.ts';

/** Prints the usage of a command if its arguments contain `--help` or `-h`. */
export function helped(argv: readonly string[], usage: string, terminal: Terminal): boolean {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  if (!options.includes('--help') && !options.includes('-h')) return false;
  terminal.out(usage + connectionUsage);
  return true;
}

/** Runs a command. Prints errors that the user can fix as one line, without a stack trace. */
export async function guarded(name: string, terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    return explained(error, name, terminal);
  }
}

/** Prints an error that the user can fix, and returns the exit code; throws any other one. */
export function explained(error: unknown, name: string, terminal: Terminal): number {
  if (error instanceof UsageError || isArgumentError(error)) {
    terminal.err(`fanion ${name}: ${error.message}`);
    return 2;
  }
  if (error instanceof InvalidFiles) {
    for (const problem of error.problems) terminal.err(`  ! ${problem}`);
    return 1;
  }
  if (error instanceof ApiError) {
    terminal.err(`fanion ${name}: ${error.message} (${error.code})`);
    return 1;
  }
  throw error;
}

/** What `parseArgs` throws. */
function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
