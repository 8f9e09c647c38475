import type { Command } from './command.ts';

export const tail: Command = {
  name: 'tail',
  operands: 'OQL',
  summary: 'follow logs or spans as they arrive',
  example: "fanion tail 'logs | where severity >= error'",
  connects: true,
  options: {
    environment: { type: 'string', value: 'KEY', help: 'only of this environment' },
    json: { type: 'boolean', help: 'print each record as a line of JSON' },
  },
  notes: `OQL is logs or spans, with any number of where stages. Standard error reports what the server leaves out when too much arrives, and
each lost connection, which is made again. NO_COLOR switches colors off.

Exit codes: 0 ended with Ctrl-C; 1 a failure or an invalid query; 2 a mistake in the call`,
  async run(call, terminal) {
    const { follow } = await import('../tail/follow.ts');
    return follow(call, terminal);
  },
};
