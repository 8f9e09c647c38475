#!/usr/bin/env node
import { run } from './index.ts';

const argv = process.argv.slice(2);
try {
  process.exitCode = await run(argv);
} catch (error) {
  // The message says what the user can do; stack traces are for developers.
  console.error(`fanion ${argv[0]}: ${error instanceof Error ? error.message : String(error)}`);
  if (process.env.FANION_LOG_LEVEL === 'debug') console.error(error);
  process.exitCode = 1;
}
