import { ApiError } from '@fanion/contract';
import { UsageError } from '../files/connection-options.ts';
import { InvalidFiles } from '../files/documents.ts';
import type { Terminal } from '../files/terminal.ts';

/** Prints an error that the user can fix, and returns the exit code; throws any other one. */
export function explained(error: unknown, name: string, terminal: Terminal): number {
  if (error instanceof UsageError) {
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
