import { parseArgs } from 'node:util';

/**
 * `fanion rotate-key`: encrypts stored secrets with another secret key. Configured as the server is; without
 * `FANION_SECRET_KEY` it makes the new key itself, and the server must be stopped.
 */
export async function rotateKeyCommand(argv: readonly string[]): Promise<number> {
  parseArgs({ args: [...argv], options: {} });
  const { rotateKey } = await import('@fanion/server');
  const { changed } = await rotateKey(process.env);
  console.log(`${changed} ${changed === 1 ? 'secret is' : 'secrets are'} encrypted with the new key`);
  return 0;
}
