import type { BackupSource } from '@fanion/server';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** A directory or a bucket that was given, for every working directory. @throws UsageError */
export async function backupPlace(given: string): Promise<string> {
  const { absolutePlace } = await import('@fanion/server');
  return orUsageError(() => absolutePlace(given));
}

/** A backup there, opened with the credentials of the environment. @throws UsageError */
export async function backupSource(place: string, { env }: Terminal): Promise<BackupSource> {
  const { openSource, placeOf, readS3Settings } = await import('@fanion/server');
  return orUsageError(() => openSource(placeOf(place, readS3Settings(env))));
}

function orUsageError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** What is not of one moment in a backup of rows. */
export function meanwhileText({ from, to }: { readonly from: string; readonly to: string | null }): string {
  const time = to === null ? `after ${from}, while it was taken,` : `between ${from} and ${to}`;
  return `Of the telemetry that was stored ${time} a part may be in it: each day of each table is as it was when it was read.`;
}
