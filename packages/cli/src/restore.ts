import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** `fanion restore <snapshot> [--data ./data]`: needs a stopped server; keeps the previous database beside the restored one. */
export async function restoreCommand(argv: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { data: { type: 'string', default: process.env.FANION_DATA_DIR ?? './data' } },
  });
  const [snapshot] = positionals;
  if (snapshot === undefined || !existsSync(snapshot)) {
    console.error(
      `fanion restore: ${snapshot === undefined ? 'name a snapshot from <data>/backups' : `${snapshot} does not exist`}`,
    );
    return 2;
  }
  const { lockDataDirectory, restoreControlSnapshot } = await import('@fanion/embedded');
  const data = resolve(values.data);
  const lock = lockDataDirectory(data);
  try {
    await restoreControlSnapshot({ snapshot: resolve(snapshot), dir: join(data, 'control') });
    console.log(`restored ${snapshot} into ${join(data, 'control')}`);
    return 0;
  } finally {
    lock.release();
  }
}
