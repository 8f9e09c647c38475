import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../files/connection-options.ts';
import type { Command } from './command.ts';

/** Needs a stopped server; keeps the previous database beside the restored one. */
export const restore: Command = {
  name: 'restore',
  operands: 'SNAPSHOT',
  summary: 'restore the embedded control plane from a snapshot',
  options: { data: { type: 'string', value: 'DIR', help: 'data directory; FANION_DATA_DIR, else ./data' } },
  async run({ texts, operands }, terminal) {
    const [snapshot, ...more] = operands;
    if (snapshot === undefined) throw new UsageError('name a snapshot from <data>/backups');
    if (more.length > 0) throw new UsageError('name one snapshot');
    if (!existsSync(snapshot)) throw new UsageError(`${snapshot} does not exist`);
    const { lockDataDirectory, restoreControlSnapshot } = await import('@fanion/embedded');
    const data = resolve(texts.data ?? terminal.env.FANION_DATA_DIR ?? './data');
    const lock = lockDataDirectory(data);
    try {
      await restoreControlSnapshot({ snapshot: resolve(snapshot), dir: join(data, 'control') });
      terminal.out(`restored ${snapshot} into ${join(data, 'control')}`);
      return 0;
    } finally {
      lock.release();
    }
  },
};
