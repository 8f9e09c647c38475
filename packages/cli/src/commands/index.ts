import { readFile } from 'node:fs/promises';
import { apply } from './apply.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { compareCommand } from './compare.ts';
import { completion } from './completion.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { drain } from './drain.ts';
import { erase } from './erase.ts';
import { exportCommand } from './export.ts';
import { flagCommands } from './flag.ts';
import { importCommand } from './import.ts';
import { login, logout } from './login.ts';
import { move } from './move.ts';
import { query } from './query.ts';
import { restore } from './restore.ts';
import { rotateKey } from './rotate-key.ts';
import { serve } from './serve.ts';
import { setup } from './setup.ts';
import { status } from './status.ts';
import { stores } from './stores.ts';
import { tail } from './tail.ts';
import { createToken } from './token.ts';

/** Every command, in the order of the usage. What a command needs is loaded when it runs. */
export const commands: readonly Command[] = [
  serve,
  stores,
  demo,
  setup,
  login,
  logout,
  createToken,
  status,
  query,
  tail,
  ...flagCommands,
  exportCommand,
  apply,
  importCommand,
  compareCommand,
  backup,
  restore,
  move,
  erase,
  rotateKey,
  drain,
  doctor,
  completion(() => commands),
  {
    name: 'version',
    summary: 'print the version',
    example: 'fanion version',
    options: {},
    async run(_call, terminal) {
      // That of the server too, which takes a second to load.
      const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
      terminal.out(manifest.version);
      return 0;
    },
  },
];
