import type { FoundFile } from './files.ts';
import type { BackupFile } from './manifest.ts';

/** A file that goes into a backup. */
export interface SourceFile {
  readonly from: string;
  /** In the backup, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Compress it. */
  readonly gzip: boolean;
}

/** Where backups are written: a folder, or a bucket. */
export interface BackupTarget {
  /** As messages name it. */
  readonly label: string;
  /** How a backup there is named to `fanion restore`. */
  pathOf(name: string): string;
  /** Begins one. First removes what killed backups of the same server left. */
  begin(backup: { readonly name: string; readonly server: string }): Promise<UnfinishedBackup>;
  /** Names of complete ones, oldest first. Empty if the place does not exist. */
  listComplete(): Promise<string[]>;
  /** The id of the server that wrote a complete one. */
  ownerOf(name: string): Promise<string | undefined>;
  /** Removes a complete one. When this is interrupted, the rest of it is no complete backup. */
  remove(name: string): Promise<void>;
  /** Removes an incomplete one, as far as there is anything. */
  discard(name: string): Promise<void>;
  close(): void;
}

export interface UnfinishedBackup {
  /**
   * @param onBytes of the sources, when they are there
   * @returns the same files in the same order
   */
  putFiles(files: readonly SourceFile[], onBytes: (bytes: number) => void): Promise<BackupFile[]>;
  /** Writes a file that is in memory, at a path where there is none. */
  putBytes(path: string, bytes: Uint8Array): Promise<BackupFile>;
  /** Removes files that `putBytes` wrote. */
  dropFiles(paths: readonly string[]): Promise<void>;
  /** With its manifest, it is complete. */
  commit(manifest: string): Promise<void>;
}

/** A complete backup that is read: a folder, or a part of a bucket. */
export interface BackupSource {
  /** As messages name it. */
  readonly label: string;
  /** Whether reading it twice costs nothing but time. */
  readonly isLocal: boolean;
  /** Undefined: it has none, and so is not complete. */
  readManifest(): Promise<string | undefined>;
  /** All but the manifest. */
  listFiles(): Promise<FoundFile[]>;
  /**
   * @param to a folder that has the files' folders; undefined: they are only read
   * @returns the SHA-256 of each, by its path
   */
  readFiles(
    files: readonly BackupFile[],
    to: string | undefined,
    onBytes: (bytes: number) => void,
  ): Promise<ReadonlyMap<string, string>>;
  /** All bytes of a file of at most `MOST_ROW_BYTES`, whatever they are. */
  readBytes(file: BackupFile): Promise<Buffer>;
  /** Backups next to it, or below it: for somebody who named the wrong one. */
  listOthers(): Promise<string[]>;
  close(): void;
}

/** An object of a backup in a bucket that is being written or removed: names its server. */
export const OWNER = 'unfinished.json';

export function ownerText(server: string): string {
  return JSON.stringify({ server });
}
