import { type BatchWrite, batchesRoutes, type FlagChange } from '@fanion/contract';
import { batches } from '../../../http/json-chunks.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import {
  type Batch,
  type Changes,
  createFlagsIn,
  type EnvironmentRow,
  type FlagPatch,
  flagChange,
  listEnvironments,
  locating,
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
export function createBatches({ changes, maxWrites }: { readonly changes: Changes; readonly maxWrites: number }) {
  return async function write({ writes, ...facts }: BatchInput): Promise<{ results: BatchResult[] }> {
    if (writes.length > maxWrites) throw fail('LIMIT_REACHED', { limit: maxWrites, resource: 'writes of a batch' });
    return changes.together(facts, async (batch) => {
      const environments = await listEnvironments(batch.trx, facts.place.project.id);
      /** Subjects whose version this batch has raised. Nobody else writes meanwhile, so it is not compared again. */
      const moved = new Set<string>();
      const results: BatchResult[] = [];
      for (const run of runsOf(writes.map((each) => named(each, environments)))) {
        const from = results.length;
        const items = run.map((each, i): Item => {
          const version = 'version' in each && !moved.has(subjectOf(each)) ? each.version : undefined;
          return { write: each, version, located: (failure) => within(`writes.${from + i}`, failure) };
        });
        results.push(...(await writeRun(batch, facts, items, environments)));
        for (const each of run) moved.add(subjectOf(each));
      }
      return { results };
    });
  };
}

interface Item<W extends BatchWrite = BatchWrite> {
  readonly write: W;
  readonly version: number | undefined;
  readonly located: (failure: Failure) => Failure;
}

type WriteOf<Name extends BatchWrite['write']> = Extract<BatchWrite, { readonly write: Name }>;

function are<Name extends BatchWrite['write']>(
  name: Name,
  items: readonly Item[],
): items is readonly Item<WriteOf<Name>>[] {
  return items.every(({ write }) => write.write === name);
}

/** Writes of one kind that are about different things. */
async function writeRun(
  batch: Batch,
  facts: Facts,
  items: readonly Item[],
  environments: readonly EnvironmentRow[],
): Promise<BatchResult[]> {
  if (are('create_flag', items)) {
    const { place, caller } = facts;
    const requests = items.map(({ write: input, located }) => ({ input, located }));
    batch.changed((await createFlagsIn(batch.trx, place, caller, requests, howOf(batch, facts))).ids);
    return items.map(() => applied);
  }
  if (are('set_targeting', items)) {
    const submissions = items.map(({ write, version, located }) => ({
      ...commonOf(facts, write),
      ...locating({ located }, () => targetingOf(write, environments)),
      version,
      located,
    }));
    return (await batch.submitMany(targetingChange, submissions)).map(resultOf);
  }
  if (are('set_prerequisites', items)) {
    const submissions = [];
    for (const { write, version, located } of items) {
      const { flag, prerequisites } = write;
      const replaced = replacedVersion(batch.trx, facts.place.project.id, { key: flag, version: write.version });
      await replaced.catch(refusedAt(located));
      submissions.push({ ...commonOf(facts, write), subject: { flag }, payload: { prerequisites }, version, located });
    }
    return (await batch.submitMany(prerequisitesChange, submissions)).map(resultOf);
  }
  const results: BatchResult[] = [];
  for (const item of items) results.push(await writeOne(batch, facts, item).catch(refusedAt(item.located)));
  return results;
}

function refusedAt(located: Item['located']) {
  return (error: unknown): never => {
    throw error instanceof Failure ? located(error) : error;
  };
}

function howOf(batch: Batch, { origin }: Facts) {
  return { origin, now: batch.now, action, rulesetsLater: batch.rulesetsLater };
}

function commonOf(facts: Facts, write: BatchWrite) {
  return { ...facts, comment: ('comment' in write ? write.comment : undefined) ?? facts.comment, action };
}

function targetingOf(
  { flag, environment, enabled, off_variant, fallthrough, targets, rules }: WriteOf<'set_targeting'>,
  environments: readonly EnvironmentRow[],
) {
  const found = environments.find(({ id, key }) => key === environment || id === environment);
  if (found === undefined) throw fail('NOT_FOUND', { resource: `environment ${environment}` });
  return {
    subject: { flag, environmentId: found.id },
    payload: { enabled, off_variant, fallthrough, targets, rules },
  };
}

async function writeOne(batch: Batch, facts: Facts, { write, version }: Item): Promise<BatchResult> {
  const { place, caller } = facts;
  const common = commonOf(facts, write);
  switch (write.write) {
    case 'create_segment':
      batch.changed((await createSegmentIn(batch.trx, place, caller, write, howOf(batch, facts))).ids);
      return applied;
    case 'update_segment': {
      const { write: _, comment: __, version: ___, segment, ...payload } = write;
      return resultOf(await batch.submit({ ...common, kind: segmentChange, subject: { segment }, payload, version }));
    }
    case 'update_flag': {
      const { write: _, comment: __, version: ___, flag, variants, ...plain } = write;
      const payload: FlagPatch = {
        ...plain,
        ...(variants !== undefined && {
          variants: variants.map(({ key, value, name }) => ({ key, value, ...(name !== undefined && { name }) })),
        }),
      };
      return resultOf(await batch.submit({ ...common, kind: flagChange, subject: { flag }, payload, version }));
    }
    case 'create_flag':
    case 'set_prerequisites':
    case 'set_targeting':
      throw new Error(`${write.write} is written in runs`);
  }
}

const applied: BatchResult = { status: 'applied', change: null };

function resultOf(submitted: Submitted<unknown>): BatchResult {
  return submitted.status === 'waiting' ? { status: 'waiting', change: submitted.change } : applied;
}

/** With the key of its environment, so that two writes about one targeting are seen as such. */
function named(write: BatchWrite, environments: readonly EnvironmentRow[]): BatchWrite {
  if (write.write !== 'set_targeting') return write;
  const found = environments.find(({ id }) => id === write.environment);
  return found === undefined ? write : { ...write, environment: found.key };
}

/** Consecutive writes of one kind about different things, few enough to be prepared without a pause. */
function* runsOf(writes: readonly BatchWrite[]): Generator<readonly BatchWrite[]> {
  for (const few of batches(writes)) {
    let run: BatchWrite[] = [];
    let subjects = new Set<string>();
    for (const write of few) {
      const subject = subjectOf(write);
      if (run.length > 0 && (run[0]?.write !== write.write || subjects.has(subject))) {
        yield run;
        run = [];
        subjects = new Set();
      }
      run.push(write);
      subjects.add(subject);
    }
    if (run.length > 0) yield run;
  }
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
