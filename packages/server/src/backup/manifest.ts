import { z } from 'zod';
import { isNewer } from './rules.ts';

export const MANIFEST = 'manifest.json';
/** Of the layout that this version writes and restores. */
export const FORMAT = 1;

/** The database as a compressed tar file; everything else stands as in the data directory. */
export const CONTROL = 'control.tar.gz';
/** Everything in a backup begins with one of these. */
const PLACES = [CONTROL, 'telemetry/engine', 'wal', 'secret.key', 'secret.key.previous', 'replica.id'];

/** Below its folder, and in a known place. */
function isBackupPath(path: string): boolean {
  const parts = path.split('/');
  return (
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !path.includes('\0') &&
    PLACES.some((place) => path === place || path.startsWith(`${place}/`))
  );
}

const Head = z.object({
  format: z.number().int(),
  /** The version that wrote it. */
  fanion: z.string(),
});

const Manifest = z.object({
  ...Head.shape,
  /** It holds everything that was acknowledged before. */
  taken: z.iso.datetime(),
  /** The id of the server. */
  server: z.string(),
  /** Whether the server's secret key is in it, or in its environment. */
  secretKey: z.enum(['included', 'FANION_SECRET_KEY']),
  /** Null: taken of a stopped server. */
  workspaces: z.number().int().nullable(),
  telemetry: z.object({ rows: z.record(z.string(), z.number().int()) }),
  /** Acknowledged telemetry that was not in the store yet; a restored server stores it when it starts. */
  log: z.object({ segments: z.number().int(), bytes: z.number().int() }),
  files: z.array(
    z.object({
      path: z.string().refine(isBackupPath, 'a path of a backup'),
      bytes: z.number().int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type Manifest = z.infer<typeof Manifest>;
export type BackupFile = Manifest['files'][number];
/** All but what is known only when its files are written. */
export type ManifestHead = Omit<Manifest, 'files' | 'format'>;

/**
 * Reads the manifest of a backup.
 * @param label of the backup, for messages
 * @param version of this program
 * @throws Error if it is damaged, or if it needs a newer version
 */
export function parseManifest(text: string, label: string, version: string): Manifest {
  const json = parse(text);
  const head = Head.safeParse(json);
  if (head.success && (head.data.format > FORMAT || isNewer(head.data.fanion, version)))
    throw new Error(
      `${label} was written by Fanion ${head.data.fanion}: restore it with that version or a newer one (this is ${version})`,
    );
  const manifest = Manifest.safeParse(json);
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
