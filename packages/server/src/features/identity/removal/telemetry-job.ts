import { z } from 'zod';
import type { JobKind } from '../../../platform/jobs/index.ts';

export const telemetryRemovalKind = 'telemetry.remove';
/** By then, items of the last request that any replica accepted are in the store. */
export const firstPassMs = 5 * 60_000;
/** A second pass for what was in the write-ahead log of a server that was down, well within the promised day. */
const secondPassMs = 12 * 3_600_000;

/** Rows of the telemetry store to delete. */
export interface TelemetryPlace {
  /** `workspaces.number`. */
  readonly workspace: number;
  /** `projects.number`; undefined: every project. */
  readonly project: number | undefined;
  /** The environment's key, as rows have it; undefined: every environment. */
  readonly environment: string | undefined;
  /**
   * Only rows whose time is before this. Numbers of workspaces and projects are never reused, but the key of an
   * environment can be: the telemetry of a new environment with the same key must stay.
   */
  readonly before: Date | undefined;
}

/** Deletes rows of every tenant table; running it again is harmless. */
export type DeleteTelemetry = (place: TelemetryPlace, signal: AbortSignal) => Promise<void>;

const Payload = z.object({
  workspace: z.number().int(),
  project: z.number().int().nullable(),
  environment: z.string().nullable(),
  removed_at: z.iso.datetime(),
});

/** Deletes the telemetry of what was removed: soon, and once more half a day later. */
export function telemetryRemovalJob(deleteTelemetry: DeleteTelemetry): JobKind {
  return {
    kind: telemetryRemovalKind,
    async run(run) {
      const { workspace, project, environment, removed_at } = Payload.parse(run.payload);
      const removedAt = new Date(removed_at);
      await deleteTelemetry(
        {
          workspace,
          project: project ?? undefined,
          environment: environment ?? undefined,
          before: environment === null ? undefined : removedAt,
        },
        run.signal,
      );
      const secondPass = new Date(removedAt.getTime() + secondPassMs);
      await run.finish(undefined, run.scheduledFor < secondPass ? { again: secondPass } : {});
    },
  };
}
