import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  lasts: true,
  options: {},
  notes: 'It is configured by FANION_… variables: see docs/configuration.md.',
  async run() {
    const server = await import('@fanion/server');
    return server.serve();
  },
};
