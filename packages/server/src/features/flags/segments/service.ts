import { segmentsNamed } from '@fanion/flag-engine';
import type { ProjectRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { refuseIdAsKey } from '../../../platform/keys.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  bumpRulesets,
  bumpRulesetsNow,
  findUserNames,
  type HowCreated,
  listEnvironments,
  listed,
  lockProject,
  type Place,
  shownClause,
} from '../flags/index.ts';
import { checkSegment, refuseTooManyKeys, shown } from './change.ts';
import { newLists } from './edit.ts';
import { withDependents } from './rules.ts';
import * as store from './store.ts';

const maxSegments = 1_000;
const maxUsesShown = 500;

export interface SegmentsDependencies extends FeatureDependencies {
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
}

export interface NewSegment {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly rules: readonly store.SegmentRule[];
}

export async function presentOne(parts: SegmentsDependencies, row: store.SegmentRow) {
  const [segment] = await present(parts, [row]);
  if (segment === undefined) throw fail('SEGMENT_NOT_FOUND', { key: row.key });
  return segment;
}

export async function list(
  parts: SegmentsDependencies,
  project: ProjectRef,
  options: { search: string | undefined; after: string | undefined; limit: number },
) {
  const { db } = parts;

  return present(parts, await store.listSegments(db, project.id, { ...options, limit: options.limit + 1 }));
}

export async function get(parts: SegmentsDependencies, project: ProjectRef, key: string) {
  const { db } = parts;

  const row = await store.findSegment(db, project.id, key);
  if (row === undefined) throw fail('SEGMENT_NOT_FOUND', { key });
  const names = await store.listSegmentNames(db, project.id);
  const dependents = withDependents(key, names);
  const uses = await store.findUses(db, project.id, dependents);
  return {
    ...(await presentOne(parts, row)),
    included: await store.findKeys(db, row.id, 'included'),
    excluded: await store.findKeys(db, row.id, 'excluded'),
    used_by: {
      flags: uses.slice(0, maxUsesShown).map(({ flag, environment }) => ({ flag, environment })),
      segments: dependents.filter((dependent) => dependent !== key),
    },
  };
}

/** Nothing uses a new segment yet, so it changes no flag and needs no approval. */
export async function create(
  parts: SegmentsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  input: NewSegment,
  origin: Origin,
) {
  const { db, clock, announce } = parts;

  refuseEnvironmentPin(caller, 'flags:write');
  const { created, ids } = await db.transaction().execute(async (trx) => {
    await lockProject(trx, project.id);
    const how = { origin, now: dateOf(clock), action: 'segments.create' };
    return createSegmentIn(trx, { workspace, project }, caller, input, how);
  });
  await announce(ids);
  return presentOne(parts, created);
}

/** Throws `SEGMENT_IN_USE` while a flag, archived or not, or another segment names it. */
export async function remove(
  { access, db, clock, announce }: SegmentsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  key: string,
  origin: Origin,
): Promise<void> {
  refuseEnvironmentPin(caller, 'flags:write');
  const { permissionsBelow } = await access.scope(caller, { workspace: workspace.id, project: project.id });
  if (!permissionsBelow.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
  const ids = await db.transaction().execute(async (trx) => {
    await lockProject(trx, project.id);
    const now = dateOf(clock);
    const segment = await store.findSegment(trx, project.id, key);
    if (segment === undefined) throw fail('SEGMENT_NOT_FOUND', { key });
    const flags = (await store.findUses(trx, project.id, [key])).map((use) => `${use.flag} in ${use.environment}`);
    const segments = [...(await store.listSegmentNames(trx, project.id))]
      .filter(([, names]) => names.includes(key))
      .map(([name]) => `the segment ${name}`);
    const users = [...flags, ...segments];
    if (users.length > 0)
      throw fail(
        'SEGMENT_IN_USE',
        { key, users: listed(users) },
        { details: users.slice(0, 50).map((message) => ({ path: 'used_by', message })) },
      );
    await store.deleteSegment(trx, segment.id);
    const ids = (await listEnvironments(trx, project.id)).map(({ id }) => id);
    await bumpRulesets(trx, ids, now);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'segments.remove',
        resource: { type: 'segment', id: segment.id, name: key },
        projectId: project.id,
        before: { name: segment.name, included_count: segment.included_count, rules: segment.rules },
      },
      now,
    );
    return ids;
  });
  await announce(ids);
}

async function present({ db }: SegmentsDependencies, rows: readonly store.SegmentRow[]) {
  const names = await findUserNames(
    db,
    rows.map(({ updated_by }) => updated_by),
  );
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    included_count: row.included_count,
    excluded_count: row.excluded_count,
    rules: row.rules.map(({ clauses, shares }) => ({
      clauses: clauses.map(shownClause),
      ...(shares !== undefined && { shares }),
    })),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: names.get(row.updated_by ?? '') ?? null,
  }));
}

/**
 * Writes a new segment. Nothing uses it yet, so it changes no flag and needs no approval.
 *
 * @param trx has locked the project
 */
export async function createSegmentIn(
  trx: Executor,
  { workspace, project }: Place,
  caller: UserCaller,
  input: NewSegment,
  how: HowCreated,
): Promise<{ readonly created: store.SegmentRow; readonly ids: readonly string[] }> {
  const { origin, now, action } = how;
  refuseIdAsKey(input.key, 'key');
  const { included, excluded, rules, name, description } = input;
  // Before the lists, which can have a million keys.
  const taken = () => fail('KEY_TAKEN', { resource: 'the segment', key: input.key });
  if ((await store.findSegment(trx, project.id, input.key)) !== undefined) throw taken();
  if ((await store.measureSegments(trx, project.id)).count >= maxSegments)
    throw fail('LIMIT_REACHED', { limit: maxSegments, resource: 'segments of a project' });
  const lists = await newLists({ included, excluded });
  const { included_count, excluded_count, chunks } = lists;
  const values: store.SegmentValues = {
    name,
    description,
    included_count,
    excluded_count,
    chunks,
    rules,
    segments: segmentsNamed(rules),
  };
  checkSegment(input.key, rules, await store.listSegmentNames(trx, project.id));
  await refuseTooManyKeys(trx, project.id, included_count + excluded_count);
  const created = await store.insertSegment(trx, {
    id: newId(now.getTime()),
    projectId: project.id,
    key: input.key,
    ...values,
    now,
    userId: caller.user.id,
  });
  if (created === undefined) throw taken();
  await store.saveKeys(trx, created.id, created.version, { all: true, chunks: lists.writes });
  const ids = (await listEnvironments(trx, project.id)).map(({ id }) => id);
  await bumpRulesetsNow(trx, ids, how);
  await recordAudit(
    trx,
    origin,
    {
      workspaceId: workspace.id,
      action,
      resource: { type: 'segment', id: created.id, name: created.key },
      projectId: project.id,
      after: { ...shown(values), diff: lists.diff },
    },
    now,
  );
  return { created, ids };
}
