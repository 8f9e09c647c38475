import { ApiError } from '@fanion/contract';
import { UsageError } from './connect.ts';
import { InvalidFiles } from './documents.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command that talks to a server. */
export const connectionOptions = {
  endpoint: { type: 'string' },
  token: { type: 'string' },
  workspace: { type: 'string' },
  project: { type: 'string' },
} as const;

const connectionUsage = `
  --endpoint URL         of the server; FANION_ENDPOINT, else http://127.0.0.1:8080
  --token svc_pat_…      an API token with the permissions for what is read and written; FANION_TOKEN
  --workspace SLUG       FANION_WORKSPACE, else the only one
  --project KEY          FANION_PROJECT, else default`;

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
}

/** What `parseArgs` throws. */
function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
