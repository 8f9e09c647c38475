import type { RouteBody, routingPoliciesRoutes } from '@fanion/contract';
import type { WorkspaceRef } from '../../../http/caller.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { durationMs, durationText } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { audit, firstVersion, presentVersion, type Writer, writing } from '../../identity/resources/index.ts';
import type { AlertNotifications } from '../alert-notifications.ts';
import { findChannels } from '../channels/index.ts';
import { type Labels, readMatchers } from '../matchers/index.ts';
import { regroup } from './grouping.ts';
import * as store from './store.ts';
import { InvalidInterval, isMuted, parseTimeInterval } from './time-interval-rules.ts';
import {
  closesCircle,
  depthBelow,
  everyLabel,
  groupLabelsOf,
  matchRoutes,
  type Route,
  type Settings,
  type Tree,
  treeOf,
} from './tree-rules.ts';

const maxPolicies = 500;
const maxDepth = 10;
/** Instructions of all patterns of a tree: routing one alert with the longest labels takes at most some 50 ms. */
const maxTreeSize = 10_000;

type Routes = typeof routingPoliciesRoutes;
type Draft = RouteBody<Routes['createRoutingPolicy']>;
type Patch = RouteBody<Routes['updateRoutingPolicy']>;

export interface Parts extends Pick<FeatureDependencies, 'db' | 'clock'> {
  readonly notifications: Pick<AlertNotifications, 'wake'>;
}

/** Parents first, siblings by position. */
export async function list({ db, clock }: Parts, workspace: WorkspaceRef) {
  const rows = await policiesOf(db, clock, workspace.id);
  const tree = treeOf(rows.map(store.policyOf));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = (route: Route): Route[] => [route, ...route.children.flatMap(ordered)];
  return (tree === undefined ? [] : ordered(tree.root)).flatMap((route) => {
    const row = byId.get(route.id);
    return row === undefined ? [] : [present(row, route.settings)];
  });
}

export async function get({ db, clock }: Parts, workspace: WorkspaceRef, id: string) {
  return presentIn(await policiesOf(db, clock, workspace.id), id);
}

/** Where an alert with these labels would go. */
export async function match({ db, clock }: Parts, workspace: WorkspaceRef, labels: Labels) {
  const rows = await policiesOf(db, clock, workspace.id);
  const tree = checkTree(rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return matchRoutes(tree.root, labels).map(({ id, settings }) => {
    const path: { id: string; name: string }[] = [];
    for (let at = byId.get(id); at !== undefined; at = byId.get(at.parent_id ?? ''))
      path.unshift({ id: at.id, name: at.name });
    return {
      id,
      path,
      channels: settings.channels,
      group: groupLabelsOf(settings, labels),
      ...durationsOf(settings),
      muted: isMuted(settings, clock.now()),
    };
  });
}

export async function create(parts: Parts, writer: Writer, draft: Draft) {
  const { workspace } = writer;
  return change(parts, workspace, async (trx, policies, now) => {
    if (policies.length >= maxPolicies)
      throw fail('LIMIT_REACHED', { limit: maxPolicies, resource: 'routing policies' });
    const root = policies.find(({ parent_id }) => parent_id === null);
    const parent = draft.parent ?? root?.id ?? '';
    checkParent(policies, parent);
    const siblings = policies.filter(({ parent_id }) => parent_id === parent);
    const values = valuesOf({
      ...draft,
      parent,
      position: draft.position ?? Math.max(-1, ...siblings.map(({ position }) => position)) + 1,
    });
    await checkChannels(trx, workspace, values.channels);
    const row = { ...firstVersion(writer, parts.clock), ...values };
    await store.insertPolicy(trx, row);
    const after = await store.listPolicies(trx, workspace.id);
    checkTree(after);
    const entry = { action: 'routing_policies.create', name: values.name, after: values };
    await audit(trx, writer, 'routing_policy', row, entry, now);
    return presentIn(after, row.id);
  });
}

/** Throws `STALE_VERSION` where `version` is given and another one is current. */
export async function update(parts: Parts, writer: Writer, id: string, { version, ...patch }: Patch) {
  const { workspace, caller } = writer;
  return change(parts, workspace, async (trx, policies, now) => {
    const before = found(policies, id);
    refuseStale(version, before.version);
    if (before.parent_id === null && ((patch.matchers?.length ?? 0) > 0 || patch.parent !== undefined))
      throw fail('ROUTING_POLICY_ROOT', {});
    if (before.parent_id !== null && patch.matchers?.length === 0) throw invalid('matchers', 'must not be empty');
    if (patch.parent !== undefined) {
      checkParent(policies, patch.parent);
      const parents = policies.map(({ id, parent_id }) => ({ id, parent: parent_id }));
      if (closesCircle(parents, id, patch.parent)) throw fail('ROUTING_POLICY_CIRCLE', { name: before.name });
    }
    const values = patched(before, patch);
    if (isUnchanged(shown(before), values)) return presentIn(policies, id);
    await checkChannels(trx, workspace, values.channels);
    await store.updatePolicy(trx, id, values, { by: caller.user.id, now });
    const after = await store.listPolicies(trx, workspace.id);
    checkTree(after);
    checkDepth(after);
    const states = { before: shown(before), after: values };
    const entry = { action: 'routing_policies.update', name: values.name, ...states };
    await audit(trx, writer, 'routing_policy', before, entry, now);
    return presentIn(after, id);
  });
}

export async function remove(
  parts: Parts,
  writer: Pick<Writer, 'workspace' | 'origin'>,
  id: string,
): Promise<undefined> {
  return change(parts, writer.workspace, async (trx, policies, now) => {
    const before = found(policies, id);
    if (before.parent_id === null) throw fail('ROUTING_POLICY_ROOT', {});
    if (policies.some(({ parent_id }) => parent_id === id)) throw fail('ROUTING_POLICY_IN_USE', { name: before.name });
    await store.deletePolicy(trx, id);
    const entry = { action: 'routing_policies.remove', name: before.name, before: shown(before) };
    await audit(trx, writer, 'routing_policy', before, entry, now);
    return undefined;
  });
}

/** The policies of a workspace; the first reader makes the root. */
async function policiesOf(executor: Executor, clock: Clock, workspaceId: string): Promise<store.PolicyRow[]> {
  const rows = await store.listPolicies(executor, workspaceId);
  if (rows.length > 0) return rows;
  const now = dateOf(clock);
  await store.ensureRoot(executor, workspaceId, { id: newId(now.getTime()), now });
  return store.listPolicies(executor, workspaceId);
}

/** Runs a change of the policies; then firing alerts are routed again, in the same transaction. */
async function change<T>(
  { db, clock, notifications }: Parts,
  workspace: WorkspaceRef,
  run: (trx: Executor, policies: readonly store.PolicyRow[], now: Date) => Promise<T>,
): Promise<T> {
  const now = dateOf(clock);
  const written = await writing(db, workspace, async (trx) => {
    await policiesOf(trx, clock, workspace.id);
    await store.lockRouting(trx, workspace.id, 'update');
    const result = await run(trx, await store.listPolicies(trx, workspace.id), now);
    await store.bumpRevision(trx, workspace.id);
    // Not the shared trees: a transaction that is rolled back must leave nothing in them.
    await regroup(trx, store.createTrees(), { workspaceId: workspace.id, now });
    return result;
  });
  notifications.wake();
  return written;
}

async function checkChannels(trx: Executor, workspace: WorkspaceRef, channels: readonly string[] | null) {
  if (channels === null) return;
  const found = new Set((await findChannels(trx, workspace.id, channels)).map(({ id }) => id));
  const at = channels.findIndex((id) => !found.has(id));
  if (at >= 0) throw invalid(`channels[${at}]`, 'is not a channel of this workspace');
  if (new Set(channels).size < channels.length) throw invalid('channels', 'names a channel twice');
}

/** The tree as it would be; throws where it is not a tree, or too large. */
function checkTree(policies: readonly store.PolicyRow[]): Tree {
  const tree = treeOf(policies.map(store.policyOf));
  if (tree === undefined) throw fail('NOT_FOUND', { resource: 'routing policy' });
  if (tree.size > maxTreeSize)
    throw invalid(
      'matchers',
      `makes the patterns of all policies too large: ${tree.size} instructions of ${maxTreeSize}`,
    );
  return tree;
}

function invalid(path: string, message: string) {
  return fail('ROUTING_POLICY_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message }] });
}

function found(policies: readonly store.PolicyRow[], id: string): store.PolicyRow {
  const row = isId(id) ? policies.find((policy) => policy.id === id) : undefined;
  if (row === undefined) throw fail('NOT_FOUND', { resource: 'routing policy' });
  return row;
}

function checkParent(policies: readonly store.PolicyRow[], parent: string): void {
  if (!policies.some(({ id }) => id === parent)) throw invalid('parent', 'is not a routing policy of this workspace');
  const parents = policies.map(({ id, parent_id }) => ({ id, parent: parent_id }));
  if (depthBelow(parents, parent) >= maxDepth) throw tooDeep();
}

/** A policy that moves takes its children along. */
function checkDepth(policies: readonly store.PolicyRow[]): void {
  const parents = policies.map(({ id, parent_id }) => ({ id, parent: parent_id }));
  if (policies.some(({ id }) => depthBelow(parents, id) > maxDepth + 1)) throw tooDeep();
}

function tooDeep() {
  return invalid('parent', `is too deep: policies are nested at most ${maxDepth} levels below the root`);
}

/** The columns of a policy; throws where a matcher or an interval is not valid. */
function valuesOf(
  draft: Omit<Draft, 'parent' | 'position'> & { parent: string | null; position: number },
): store.PolicyValues {
  const read = readMatchers(draft.matchers, 'matchers');
  if ('message' in read) throw invalid(read.path, read.message);
  checkDurations(draft);
  if (draft.group_by?.includes(everyLabel) && draft.group_by.length > 1)
    throw invalid('group_by', `has ... and other labels: ... alone groups by all labels`);
  for (const field of ['mute', 'active'] as const) {
    for (const [at, interval] of draft[field].entries()) {
      try {
        parseTimeInterval(interval);
      } catch (error) {
        if (error instanceof InvalidInterval) throw invalid(`${field}[${at}]`, error.message);
        throw error;
      }
    }
  }
  return {
    parent_id: draft.parent,
    name: draft.name,
    position: draft.position,
    matchers: read.matchers,
    continues: draft.continue,
    channels: draft.channels,
    group_by: draft.group_by,
    group_wait: draft.group_wait,
    group_interval: draft.group_interval,
    repeat_interval: draft.repeat_interval,
    mute: draft.mute.map(stored),
    active: draft.active.map(stored),
  };
}

/** Without the fields that were left out. */
function stored(interval: Draft['mute'][number]): store.PolicyValues['mute'][number] {
  return Object.fromEntries(Object.entries(interval).filter(([, value]) => value !== undefined));
}

const dayMs = 86_400_000;

function checkDurations({
  group_wait,
  group_interval,
  repeat_interval,
}: Pick<Draft, 'group_wait' | 'group_interval' | 'repeat_interval'>): void {
  const within = (path: string, text: string | null, leastMs: number, mostMs: number, says: string) => {
    if (text !== null && (durationMs(text) < leastMs || durationMs(text) > mostMs)) throw invalid(path, says);
  };
  within('group_wait', group_wait, 0, dayMs, 'must be at most 1d');
  within('group_interval', group_interval, 1_000, dayMs, 'must be from 1s to 1d');
  within('repeat_interval', repeat_interval, 1_000, 30 * dayMs, 'must be from 1s to 30d');
}

function patched(row: store.PolicyRow, patch: Omit<Patch, 'version'>): store.PolicyValues {
  const value = <K extends keyof typeof patch, T>(name: K, otherwise: T) =>
    (patch[name] === undefined ? otherwise : patch[name]) as Exclude<(typeof patch)[K], undefined> | T;
  return valuesOf({
    name: value('name', row.name),
    parent: value('parent', row.parent_id),
    position: value('position', row.position),
    matchers: value('matchers', [...row.matchers]),
    channels: value('channels', row.channels === null ? null : [...row.channels]),
    group_by: value('group_by', row.group_by === null ? null : [...row.group_by]),
    group_wait: value('group_wait', row.group_wait),
    group_interval: value('group_interval', row.group_interval),
    repeat_interval: value('repeat_interval', row.repeat_interval),
    continue: value('continue', row.continues),
    mute: value('mute', row.mute.map(mutable)),
    active: value('active', row.active.map(mutable)),
  });
}

function mutable(interval: store.PolicyRow['mute'][number]): Draft['mute'][number] {
  return JSON.parse(JSON.stringify(interval));
}

function shown(row: store.PolicyRow) {
  const { name, parent_id, position, matchers, channels, group_by, group_wait, group_interval, repeat_interval } = row;
  const { continues, mute, active } = row;
  return {
    name,
    parent_id,
    position,
    matchers,
    channels,
    group_by,
    group_wait,
    group_interval,
    repeat_interval,
    continues,
    mute,
    active,
  };
}

function durationsOf({ groupWaitMs, groupIntervalMs, repeatIntervalMs }: Settings) {
  const text = (ms: number) => (ms === 0 ? '0s' : durationText(ms));
  return {
    group_wait: text(groupWaitMs),
    group_interval: text(groupIntervalMs),
    repeat_interval: text(repeatIntervalMs),
  };
}

function presentIn(rows: readonly store.PolicyRow[], id: string) {
  const row = found(rows, id);
  const settings = treeOf(rows.map(store.policyOf))?.byId.get(id)?.settings;
  if (settings === undefined) throw fail('NOT_FOUND', { resource: 'routing policy' });
  return present(row, settings);
}

function present(row: store.PolicyRow, settings: Settings) {
  return {
    id: row.id,
    name: row.name,
    parent: row.parent_id,
    position: row.position,
    matchers: row.matchers,
    channels: row.channels,
    group_by: row.group_by,
    group_wait: row.group_wait,
    group_interval: row.group_interval,
    repeat_interval: row.repeat_interval,
    continue: row.continues,
    mute: row.mute.map(mutable),
    active: row.active.map(mutable),
    effective: { channels: settings.channels, group_by: settings.groupBy, ...durationsOf(settings) },
    ...presentVersion(row),
  };
}
