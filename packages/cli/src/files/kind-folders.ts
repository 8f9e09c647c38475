/** Folders of the kinds beside flags and segments, in the order in which they are written: what others name comes first. */
const kindFolders = [
  'channels',
  'routing-policies',
  'inhibition-rules',
  'recording-rules',
  'alert-rules',
  'slos',
  'metrics',
  'guarded-releases',
  'experiments',
  'dashboards',
] as const;

export type KindFolder = (typeof kindFolders)[number];

/** What `--kinds` can name. */
export const folders: readonly string[] = ['flags', 'segments', ...kindFolders];
