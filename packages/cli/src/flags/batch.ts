import { ApiError, maxBatchWrites, type RouteBodyInput, writeBatch } from '@fanion/contract';
import type { Connection } from '../files/connect.ts';
import { without } from '../files/differences.ts';
import type { Step } from './plan.ts';
import type { Write } from './write.ts';

type BatchWrite = RouteBodyInput<typeof writeBatch>['writes'][number];

export type BatchOutcome =
  | { readonly outcome: 'written'; readonly done: number; readonly waits: number }
  /** Nothing was written. */
  | { readonly outcome: 'refused'; readonly problems: readonly string[] };

const wayOut = 'use --output DIR to write files instead, and then fanion apply -f DIR, which has no such limit';

/**
 * Sends all steps in one request. The server applies all of them or none.
 *
 * @param comment appears in the history, with the step's digest appended
 */
export async function executeTogether(
  { client, scope }: Connection,
  steps: readonly Step[],
  comment: string,
): Promise<BatchOutcome> {
  const open = steps.filter((step) => !step.waiting);
  if (open.length > maxBatchWrites) {
    const limit = `an import is one transaction of at most ${maxBatchWrites} writes, and this one has ${open.length}`;
    const what = 'one for each flag, its prerequisites, its targeting in each environment, and each segment';
    return { outcome: 'refused', problems: [`${limit} (${what}): ${wayOut}`] };
  }
  const writes = open.map(({ write, digest }) => batchWriteOf(write, `${comment} [${digest}]`));
  try {
    const { data } = await client.call(writeBatch, { params: scope, body: { writes, comment } });
    const waits = data.results.filter(({ status }) => status === 'waiting').length;
    return { outcome: 'written', done: data.results.length - waits, waits };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
    const details = (error.details ?? []).map(({ path, message }) => problemOf(path, message, open));
    const more =
      error.status === 413
        ? [`an import is one request, and the server accepts none of this size (FANION_MAX_BODY_BYTES): ${wayOut}`]
        : [];
    return { outcome: 'refused', problems: [...(details.length > 0 ? details : [error.message]), ...more] };
  }
}

/** Names the step that a path such as `writes.3.fallthrough` points to. */
function problemOf(path: string, message: string, steps: readonly Step[]): string {
  const [, index = '', inside] = /^writes\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
  const step = index === '' ? undefined : steps[Number(index)];
  if (step === undefined) return `${path}: ${message}`;
  return inside === undefined ? `${step.title}: ${message}` : `${step.title}: ${inside}: ${message}`;
}

function batchWriteOf(write: Write, comment: string): BatchWrite {
  switch (write.kind) {
    case 'create_segment': {
      const { key, name = key, ...rest } = write.segment;
      return { write: 'create_segment', key, name, ...rest };
    }
    case 'update_segment': {
      const { before, segment, version } = write;
      const { key, name, description, rules } = segment;
      const changed = (from: typeof segment, to: typeof segment) => ({
        included: without(to.included, from.included),
        excluded: without(to.excluded, from.excluded),
      });
      const lists = { add: changed(before, segment), remove: changed(segment, before) };
      return { write: 'update_segment', segment: key, name, description, rules, ...lists, version, comment };
    }
    case 'create_flag': {
      const { key, name = key, prerequisites: _, environments: __, ...common } = write.flag;
      return { write: 'create_flag', key, name, ...common };
    }
    case 'update_flag':
      return { write: 'update_flag', flag: write.key, ...write.patch, version: write.version, comment };
    case 'set_prerequisites': {
      const { key: flag, prerequisites, version } = write;
      return { write: 'set_prerequisites', flag, prerequisites, version, comment };
    }
    case 'set_targeting': {
      const { key: flag, environment, targeting, version } = write;
      return { write: 'set_targeting', flag, environment, ...targeting, version, comment };
    }
    case 'archive_flag':
    case 'remove_segment':
      throw new Error('a batch cannot remove anything');
  }
}
