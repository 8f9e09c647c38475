import { z } from 'zod';
import { isNewer } from './rules.ts';

export const MANIFEST = 'manifest.json';
/** Files of embedded stores. */
export const FILES_FORMAT = 1;
/** Rows that were read from stores. */
export const ROWS_FORMAT = 2;
/** A file of rows: the largest one, both as it is and unpacked. */
export const MOST_ROW_BYTES = 64 * 1024 ** 2;

/** Characters of who took or restored a backup. */
export const MOST_BY = 300;

/** The database as a compressed tar file; everything else stands as in the data directory. */
export const CONTROL = 'control.tar.gz';
const KEYS = ['secret.key', 'secret.key.previous'];
/** Everything in a backup of files begins with one of these. */
const PLACES = [CONTROL, 'telemetry/engine', 'wal', ...KEYS, 'replica.id'];

/** Below its folder, and in a known place. */
function isBackupPath(path: string): boolean {
  const parts = path.split('/');
  return (
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !path.includes('\0') &&
    PLACES.some((place) => path === place || path.startsWith(`${place}/`))
  );
}

const ROWS_PATH = /^(control|telemetry)\/([a-z][a-z0-9_]*)\/\d{6,9}\.(jsonl|native)\.gz$/;

/** The store and the table of a file of rows; undefined: it is another file. */
export function tableOfPath(
  path: string,
): { readonly store: 'control' | 'telemetry'; readonly table: string } | undefined {
  const [, store, table = ''] = ROWS_PATH.exec(path) ?? [];
  return store === 'control' || store === 'telemetry' ? { store, table } : undefined;
}

export function rowsPath(store: 'control' | 'telemetry', table: string, number: number): string {
  return `${store}/${table}/${String(number).padStart(6, '0')}.${store === 'control' ? 'jsonl' : 'native'}.gz`;
}

const Head = z.object({
  format: z.number().int(),
  /** The version that wrote it. */
  fanion: z.string(),
});

const Common = z.object({
  ...Head.shape,
  /** It holds everything that was acknowledged before; one of rows, everything that was stored before. */
  taken: z.iso.datetime(),
  /** The id of the server, or of the stores. */
  server: z.string(),
  /** Whether the server's secret key is in it, or in its environment. */
  secretKey: z.enum(['included', 'FANION_SECRET_KEY']),
  /** Who took it: the schedule, or a command and its user. Absent: an earlier release wrote it. */
  by: z.string().max(MOST_BY).optional(),
});

const count = z.number().int().min(0);
const File = z.object({ bytes: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const FilesManifest = z.object({
  ...Common.shape,
  format: z.literal(FILES_FORMAT),
  /** Null: taken of a stopped server. */
  workspaces: z.number().int().nullable(),
  telemetry: z.object({ rows: z.record(z.string(), z.number().int()) }),
  /** Acknowledged telemetry that was not in the store yet; a restored server stores it when it starts. */
  log: z.object({ segments: z.number().int(), bytes: z.number().int() }),
  files: z.array(z.object({ path: z.string().refine(isBackupPath, 'a path of a backup'), ...File.shape })),
});

const sum = z.string().regex(/^-?\d+$/);
const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: count,
  /** A sum over the rows; null: an earlier release wrote it, and merges combine rows of this table. */
  hash: sum.nullable(),
  /** Of telemetry: a sum over rows with their aggregate states; absent: they cannot be compared, or an earlier release wrote it. */
  states: sum.optional(),
});
const RowsFile = z.object({
  path: z.string().refine((path) => tableOfPath(path) !== undefined || KEYS.includes(path), 'a path of a backup'),
  ...File.shape,
  bytes: count.max(MOST_ROW_BYTES),
  rows: count,
});

const RowsManifest = z.object({
  ...Common.shape,
  format: z.literal(ROWS_FORMAT),
  workspaces: count,
  /** When all telemetry was read. Of what was stored since `taken`, a part is in it. Absent: an earlier release wrote it. */
  until: z.iso.datetime().optional(),
  /** Names the secret key and says nothing about it; null: the command that took the backup did not have the key. */
  keyId: z.string().nullable(),
  control: z.object({
    migrations: z.array(z.number().int()),
    tables: z.array(Table),
    sequences: z.array(z.object({ name: z.string(), last: z.string().regex(/^\d+$/), called: z.boolean() })),
  }),
  telemetry: z.object({ migrations: z.array(z.number().int()), tables: z.array(Table) }),
  files: z.array(RowsFile),
});

const AnyManifest = z.discriminatedUnion('format', [FilesManifest, RowsManifest]);

export type FilesManifest = z.infer<typeof FilesManifest>;
export type RowsManifest = z.infer<typeof RowsManifest>;
export type RowsFile = z.infer<typeof RowsFile>;
export type CopiedTable = z.infer<typeof Table>;
export type Manifest = FilesManifest | RowsManifest;
export type BackupFile = FilesManifest['files'][number];
/** All but what is known only when its files are written. */
export type ManifestHead = Omit<FilesManifest, 'files' | 'format'>;

/** What a backup holds, in numbers. */
export interface ManifestSummary {
  readonly bytes: number;
  readonly files: number;
  /** Of telemetry. */
  readonly rows: number;
  /** Undefined: it has none, since it was read from the stores. */
  readonly log: FilesManifest['log'] | undefined;
  readonly secretKey: Manifest['secretKey'];
  /** Of the telemetry that was stored in this time, a part is in the backup; null: until an unknown time. Undefined: it is of one moment. */
  readonly meanwhile: { readonly from: string; readonly to: string | null } | undefined;
}

export function summaryOf(manifest: Manifest): ManifestSummary {
  const rows =
    manifest.format === ROWS_FORMAT
      ? manifest.telemetry.tables.map((table) => table.rows)
      : Object.values(manifest.telemetry.rows);
  return {
    bytes: totalOf(manifest.files.map(({ bytes }) => bytes)),
    files: manifest.files.length,
    rows: totalOf(rows),
    log: manifest.format === ROWS_FORMAT ? undefined : manifest.log,
    secretKey: manifest.secretKey,
    meanwhile: manifest.format === ROWS_FORMAT ? { from: manifest.taken, to: manifest.until ?? null } : undefined,
  };
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Reads the manifest of a backup.
 * @param label of the backup, for messages
 * @param version of this program
 * @throws Error if it is damaged, or if it needs a newer version
 */
export function parseManifest(text: string, label: string, version: string): Manifest {
  const json = parse(text);
  const head = Head.safeParse(json);
  if (head.success && (head.data.format > ROWS_FORMAT || isNewer(head.data.fanion, version)))
    throw new Error(
      `${label} was written by Fanion ${head.data.fanion}: restore it with that version or a newer one (this is ${version})`,
    );
  const manifest = AnyManifest.safeParse(json);
  if (!manifest.success)
    throw new Error(`${label}/${MANIFEST} is damaged: ${z.prettifyError(manifest.error).slice(0, 500)}`);
  return manifest.data;
}

/** The id of the server in the text of a manifest of any format; undefined: there is none. */
export function serverOf(text: string): string | undefined {
  return z.object({ server: z.string() }).safeParse(parse(text)).data?.server;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported as damaged
  }
}
