import type { Command } from './command.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check a server, its stores and this machine, and say what mends each problem',
  example: 'FANION_DATA_DIR=/var/lib/fanion fanion doctor',
  options: {
    endpoint: {
      type: 'string',
      value: 'URL',
      help: 'of the server; FANION_ENDPOINT, else FANION_HOST and FANION_PORT of this machine',
    },
    json: { type: 'boolean', help: 'print JSON' },
  },
  notes: `Run it on the server's machine, as its user and with its environment. It changes nothing. Without a running server it checks what
the environment configures.

Exit codes: 0 all is ok, or only warnings; 1 something is wrong; 2 a mistake in the call`,
  async run(call, terminal) {
    const { examine } = await import('../doctor/examine.ts');
    return examine(call, terminal);
  },
};
