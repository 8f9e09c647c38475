import { createHash } from 'node:crypto';
import type { RowsManifest } from '../manifest.ts';
import { backupName } from '../rules.ts';

/** Names a backup wherever it is copied to. */
export function idOfBackup({ taken, files }: Pick<RowsManifest, 'taken' | 'files'>): string {
  const content = createHash('sha256');
  for (const { path, sha256 } of files) content.update(`${path} ${sha256}\n`);
  return `${backupName(Date.parse(taken))}-${content.digest('hex').slice(0, 16)}`;
}
