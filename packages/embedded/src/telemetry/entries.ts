import { readdir } from 'node:fs/promises';

/** What is in a folder; nothing if there is no such folder. */
export async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    unlessMissing(error);
    return [];
  });
}

/** @throws the error, unless it says that there is no such file */
export function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
