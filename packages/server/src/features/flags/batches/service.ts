import { type BatchWrite, batchesRoutes, type FlagChange } from '@fanion/contract';
import { Failure, fail } from '../../../platform/fail.ts';
import {
  type Batch,
  type Changes,
  createFlagIn,
  type EnvironmentRow,
  type FlagPatch,
  flagChange,
  listEnvironments,
  prerequisitesChange,
  replacedVersion,
  type Submission,
  type Submitted,
  targetingChange,
} from '../flags/index.ts';
import { createSegmentIn, segmentChange } from '../segments/index.ts';

type Facts = Pick<Submission<unknown, unknown>, 'place' | 'caller' | 'origin' | 'comment' | 'bypassApproval'>;

export interface BatchInput extends Facts {
  readonly writes: readonly BatchWrite[];
}

export interface BatchResult {
  readonly status: 'applied' | 'waiting';
  readonly change: FlagChange | null;
}

/** The action of each write's audit entry. */
const action = batchesRoutes.writeBatch.id;

/** Writes in order, in one transaction. The first rejected write rolls all of them back, and the error names it. */
export function createBatches({ changes }: { readonly changes: Changes }) {
  return async function write({ writes, ...facts }: BatchInput): Promise<{ results: BatchResult[] }> {
    return changes.together(facts, async (batch) => {
      const environments = await listEnvironments(batch.trx, facts.place.project.id);
      /** Subjects whose version this batch has raised. Nobody else writes meanwhile, so it is not compared again. */
      const moved = new Set<string>();
      const results: BatchResult[] = [];
      for (const [i, each] of writes.entries()) {
        const subject = subjectOf(each);
        const version = 'version' in each && !moved.has(subject) ? each.version : undefined;
        try {
          results.push(await writeOne(batch, facts, each, { environments, version }));
        } catch (error) {
          throw error instanceof Failure ? within(`writes.${i}`, error) : error;
        }
        moved.add(subject);
      }
      return { results };
    });
  };
}

async function writeOne(
  batch: Batch,
  facts: Facts,
  write: BatchWrite,
  { environments, version }: { readonly environments: readonly EnvironmentRow[]; readonly version: number | undefined },
): Promise<BatchResult> {
  const { place, caller, origin } = facts;
  const how = { origin, now: batch.now, action, rulesetsLater: batch.rulesetsLater };
  const comment = ('comment' in write ? write.comment : undefined) ?? facts.comment;
  const common = { ...facts, comment, action };
  switch (write.write) {
    case 'create_segment':
      batch.changed((await createSegmentIn(batch.trx, place, caller, write, how)).ids);
      return applied;
    case 'create_flag':
      batch.changed((await createFlagIn(batch.trx, place, caller, write, how)).ids);
      return applied;
    case 'update_segment': {
      const { write: _, comment: __, version: ___, segment, ...payload } = write;
      return resultOf(batch.submit({ ...common, kind: segmentChange, subject: { segment }, payload, version }));
    }
    case 'update_flag': {
      const { write: _, comment: __, version: ___, flag, variants, ...plain } = write;
      const payload: FlagPatch = {
        ...plain,
        ...(variants !== undefined && {
          variants: variants.map(({ key, value, name }) => ({ key, value, ...(name !== undefined && { name }) })),
        }),
      };
      return resultOf(batch.submit({ ...common, kind: flagChange, subject: { flag }, payload, version }));
    }
    case 'set_prerequisites': {
      const { flag, prerequisites } = write;
      await replacedVersion(batch.trx, place.project.id, { key: flag, version: write.version });
      const payload = { prerequisites };
      return resultOf(batch.submit({ ...common, kind: prerequisitesChange, subject: { flag }, payload, version }));
    }
    case 'set_targeting': {
      const { flag, environment, enabled, off_variant, fallthrough, targets, rules } = write;
      const found = environments.find(({ id, key }) => key === environment || id === environment);
      if (found === undefined) throw fail('NOT_FOUND', { resource: `environment ${environment}` });
      const payload = { enabled, off_variant, fallthrough, targets, rules };
      const subject = { flag, environmentId: found.id };
      return resultOf(batch.submit({ ...common, kind: targetingChange, subject, payload, version }));
    }
  }
}

const applied: BatchResult = { status: 'applied', change: null };

async function resultOf(submitted: Promise<Submitted<unknown>>): Promise<BatchResult> {
  const result = await submitted;
  return result.status === 'waiting' ? { status: 'waiting', change: result.change } : applied;
}

/** The object of a write that has its own version. */
function subjectOf(write: BatchWrite): string {
  switch (write.write) {
    case 'create_segment':
      return `segment ${write.key}`;
    case 'update_segment':
      return `segment ${write.segment}`;
    case 'create_flag':
      return `flag ${write.key}`;
    case 'update_flag':
    case 'set_prerequisites':
      return `flag ${write.flag}`;
    case 'set_targeting':
      return `targeting ${write.flag} ${write.environment}`;
  }
}

/** The same failure, with the position in the batch in every detail. */
function within(path: string, failure: Failure): Failure {
  const { error, parameters, retryAfterSeconds, message } = failure;
  const details = (failure.details ?? [{ path: '', message }]).map((detail) => ({
    ...detail,
    path: detail.path === '' ? path : `${path}.${detail.path}`,
  }));
  return fail(error, parameters, {
    details,
    cause: failure,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
