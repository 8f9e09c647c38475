import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  example: 'FANION_DATA_DIR=/var/lib/fanion fanion serve',
  lasts: true,
  options: {},
  notes: 'It is configured by FANION_… variables: see docs/configuration.md.',
  async run() {
    const server = await import('@fanion/server');
    return server.serve();
  },
};
