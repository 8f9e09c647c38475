import type { Command } from './command.ts';

export const query: Command = {
  name: 'query',
  operands: 'OQL',
  summary: 'ask a question of telemetry; - reads it from standard input',
  example: "fanion query 'spans | stats n=count() by service.name' --from now-1d",
  connects: true,
  options: {
    from: { type: 'string', value: 'TIME', help: 'start of the window: now-1h (default), or a time' },
    to: { type: 'string', value: 'TIME', help: 'end of the window (default: now)' },
    limit: { type: 'string', value: 'ROWS', help: 'most rows (default: 1000)' },
    json: { type: 'boolean', help: 'print the answer as JSON' },
  },
  notes: 'Exit codes: 0 answered; 1 a failure or an invalid query; 2 a mistake in the call',
  async run(call, terminal) {
    const { ask } = await import('./ask.ts');
    return ask(call, terminal);
  },
};
