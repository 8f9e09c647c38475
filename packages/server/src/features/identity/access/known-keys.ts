import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../../platform/log.ts';
import type { SdkKeyRow } from './store.ts';

/**
 * SDK keys that were good when they were last asked for, by the hash of their secret: what evaluation goes by while the
 * control plane is away, also after a restart. A file holds no more than the control plane does, the hashes.
 */
export interface KnownKeys {
  find(hash: Buffer): SdkKeyRow | undefined;
  keep(hash: Buffer, row: SdkKeyRow): void;
  /** Removes an unknown or revoked key. */
  forget(hash: Buffer): void;
  /** Removes a key that this server has just revoked, by its id. */
  forgetId(id: string): void;
  count(): number;
  flush(): Promise<void>;
}

const maxKeys = 10_000;

/** @param options.delayMs changes within this time are written once */
export function createKnownKeys(options: { file: string; log: Log; delayMs?: number }): KnownKeys {
  const { file, log, delayMs = 1_000 } = options;
  const known = read(file, log);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    try {
      await mkdir(dirname(file), { recursive: true });
      // Written under another name first, so that a kill leaves the old file or the new one, never half of one.
      await writeFile(`${file}.tmp`, JSON.stringify([...known]), { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    } catch (error) {
      log.warn({ err: error }, 'could not keep the known SDK keys on disk');
    }
  }

  function save(): void {
    clearTimeout(timer);
    timer = undefined;
    writing = (writing ?? Promise.resolve()).then(write);
  }
  const changed = () => {
    timer ??= setTimeout(save, delayMs).unref();
  };

  return {
    find: (hash) => known.get(hash.toString('hex')),
    keep(hash, row) {
      const name = hash.toString('hex');
      const before = known.get(name);
      known.set(name, row);
      const [oldest] = known.keys();
      if (known.size > maxKeys && oldest !== undefined) known.delete(oldest);
      if (before === undefined || told(before) !== told(row)) changed();
    },
    forget(hash) {
      if (known.delete(hash.toString('hex'))) changed();
    },
    forgetId(id) {
      for (const [name, row] of known) if (row.id === id && known.delete(name)) save();
    },
    count: () => known.size,
    async flush() {
      if (timer !== undefined) save();
      await writing;
    },
  };
}

/** The fields of a key that affect answers; the time of last use does not. */
function told({ last_used_at: _, ...row }: SdkKeyRow): string {
  return JSON.stringify(row);
}

function read(file: string, log: Log): Map<string, SdkKeyRow> {
  try {
    const entries = JSON.parse(readFileSync(file, 'utf8')) as [string, SdkKeyRow & { last_used_at: string | null }][];
    return new Map(
      entries.map(([name, row]) => [
        name,
        {
          ...row,
          payload_key: row.payload_key ?? null,
          last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at),
        },
      ]),
    );
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) log.warn({ err: error }, 'the known SDK keys on disk cannot be read');
    return new Map();
  }
}
