import type { Dirent } from 'node:fs';
import { lstat, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freeBytesOf } from '../free-bytes.ts';
import type { Engine } from './engine.ts';
import { unlessMissing } from './entries.ts';
import { StoreException } from './exceptions.ts';
import { covers, parsePart } from './parts.ts';

/** With less room on the disk than this, parts are compared with their files after each write. */
const SCARCE_BYTES = 256 * 1024 ** 2;
/** The disk may have been full and be free again when a write ends. */
const SCARCE_FOR_MS = 10_000;
/** The engine deletes directories with this beginning when it starts. */
const DELETED_AT_START = 'delete_tmp_';

/** Files of a part that its checksums, and so its size in `system.parts`, do not include. None is ever empty. */
const OUTSIDE_CHECKSUMS: ReadonlySet<string> = new Set([
  'checksums.txt',
  'columns.txt',
  'columns_substreams.txt',
  'default_compression_codec.txt',
  'metadata_version.txt',
  'txn_version.txt',
  'uuid.txt',
]);

interface StoredPart {
  readonly name: string;
  readonly path: string;
  /** What the engine believes to have written. */
  readonly bytes: number;
}

/** Finds parts that a full disk has left without their content. */
export interface PartWatch {
  /**
   * Call when a write has ended, before it is acknowledged.
   * @param beganAt milliseconds since the epoch
   * @throws StoreException 243 if it must not be acknowledged
   */
  afterWrite(beganAt: number): Promise<void>;
  /**
   * Call from time to time: merges write parts, too.
   * @throws StoreException 243 if parts were set aside
   */
  check(): Promise<void>;
}

/**
 * On a full disk, the engine can report success for a part whose files are cut off or empty, and later reads zeros and
 * empty texts from it. So while the disk is nearly full, the sizes of new parts are compared with their files. A part
 * that is too small is set aside, together with every part that was merged from it. Then the engine must restart: it
 * goes back to the parts from before a failed merge, and stores a failed insert when the server sends it again
 * (see `mendUnfinishedInserts`).
 * @param dir any directory on the disk
 * @param onDamaged told the names of the parts that were set aside; ends the process
 */
export function watchParts(engine: Engine, dir: string, onDamaged: (parts: readonly string[]) => void): PartWatch {
  let scarceAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Date.now();

  const measure = async (now: number) => {
    if ((await freeBytesOf(dir)) < SCARCE_BYTES) scarceAt = now;
  };
  const verifySince = async (time: number) => {
    const damaged = await setDamagedPartsAside(engine, time);
    if (damaged.length === 0) return;
    onDamaged(damaged);
    throw new StoreException(243, 'NOT_ENOUGH_SPACE', 'The disk was full while rows were written.');
  };
  return {
    async afterWrite(beganAt) {
      await measure(Date.now());
      if (scarceAt >= beganAt - SCARCE_FOR_MS) await verifySince(beganAt);
    },
    async check() {
      const now = Date.now();
      await measure(now);
      if (scarceAt >= now - SCARCE_FOR_MS) await verifySince(checkedAt);
      checkedAt = now;
    },
  };
}

/**
 * Renames the damaged parts among those that were written since a time, and the parts merged from them, so that the
 * engine does not find them at its next start.
 * @param since milliseconds since the epoch
 * @returns their names
 */
export async function setDamagedPartsAside(engine: Pick<Engine, 'query'>, since: number): Promise<readonly string[]> {
  const written = await partsSince(engine, since);
  const damaged: StoredPart[] = [];
  for (const part of written) if (await isDamaged(part)) damaged.push(part);
  const aside = written.filter((part) => damaged.some((other) => isMadeFrom(part, other)));
  for (const { name, path } of aside)
    await rename(path, join(dirname(path), `${DELETED_AT_START}${name}_${Date.now()}`)).catch(unlessMissing);
  return aside.map(({ name }) => name);
}

async function partsSince(engine: Pick<Engine, 'query'>, since: number): Promise<StoredPart[]> {
  // The times of parts are whole seconds.
  const seconds = Math.floor(since / 1_000) - 1;
  const { bytes } = await engine.query({
    id: 'parts',
    format: 'JSONCompactEachRow',
    sql: `SELECT name, path, bytes_on_disk FROM system.parts WHERE modification_time >= toDateTime(${seconds})`,
    settings: new Map([
      ['readonly', '1'],
      ['output_format_json_quote_64bit_integers', '1'],
    ]),
  });
  const lines = Buffer.from(bytes).toString().split('\n');
  return lines.filter(Boolean).map((line) => {
    const [name, path, size]: string[] = JSON.parse(line);
    return { name: name ?? '', path: (path ?? '').replace(/\/$/, ''), bytes: Number(size) };
  });
}

function isMadeFrom(part: StoredPart, other: StoredPart): boolean {
  const [made, from] = [parsePart(part.name), parsePart(other.name)];
  return dirname(part.path) === dirname(other.path) && (part === other || (!!made && !!from && covers(made, from)));
}

async function isDamaged({ path, bytes }: StoredPart): Promise<boolean> {
  try {
    let found = 0;
    for (const file of await filesOf(path)) {
      const { size } = await lstat(join(file.parentPath, file.name));
      if (!OUTSIDE_CHECKSUMS.has(file.name)) found += size;
      else if (size === 0) return true;
    }
    return found < bytes;
  } catch (error) {
    // The engine has deleted the part in the meantime.
    unlessMissing(error);
    return false;
  }
}

async function filesOf(directory: string): Promise<Dirent[]> {
  return (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
}
