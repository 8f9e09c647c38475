import type { BackupPlace } from './place.ts';
import { s3Source } from './source-s3.ts';
import type { BackupSource, BackupTarget } from './target.ts';
import { folderSource, folderTarget } from './target-folder.ts';
import { s3Target } from './target-s3.ts';

/** @param signal ends what is done there */
export function openTarget(place: BackupPlace, signal: AbortSignal): BackupTarget {
  return place.kind === 'folder' ? folderTarget(place.path) : s3Target(place, { signal });
}

/** A place that is one backup. */
export function openSource(place: BackupPlace): BackupSource {
  return place.kind === 'folder' ? folderSource(place.path) : s3Source(place);
}
