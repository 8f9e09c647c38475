import type { Command } from './command.ts';

/** Configured as the server is; without `FANION_SECRET_KEY` it makes the new key itself, and the server must be stopped. */
export const rotateKey: Command = {
  name: 'rotate-key',
  summary: 'replace the secret key, and encrypt stored secrets again',
  example: 'FANION_DATA_DIR=/var/lib/fanion fanion rotate-key',
  options: {},
  async run(_call, terminal) {
    const server = await import('@fanion/server');
    const { changed } = await server.rotateKey(process.env);
    terminal.out(`${changed} ${changed === 1 ? 'secret is' : 'secrets are'} encrypted with the new key`);
    return 0;
  },
};
