import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { dateOf } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, invalidQuery, scopeToCompile } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { PlacedFilter, ProjectRetention } from '../../identity/projects/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { valueColumn } from '../budget/index.ts';
import { requireSamePlace } from '../place.ts';
import { chainOf, type GraphNode, isReserved, writerOf } from './graph-rules.ts';
import { isIngested } from './metric-store.ts';
import { previewSteps } from './preview.ts';
import * as store from './store.ts';
import { alignedTo } from './write-rules.ts';

const dayMs = 86_400_000;

export interface RecordingRuleDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
  readonly config: { readonly recordingRules: Config['recordingRules'] };
}

export interface RecordingRuleInput {
  readonly name: string;
  readonly query: string;
  readonly every: string;
  /** Null: automatic. */
  readonly offset: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly unit: string;
  readonly group: string;
  readonly position: number;
  readonly enabled: boolean;
  readonly backfill_from?: string | number | undefined;
}

export interface RecordingPlace {
  readonly workspace: WorkspaceRef;
  readonly project: Pick<ProjectRef, 'id' | 'number'>;
  readonly environment: string | undefined;
}

export function createRecordingRuleService({
  db,
  clock,
  access,
  gateway,
  retention,
  config,
}: RecordingRuleDependencies) {
  const { perWorkspace, series: maxSeries } = config.recordingRules;
  async function check(
    place: RecordingPlace,
    { query, every, offset, name, labels, backfill_from }: RecordingRuleInput,
    signal: AbortSignal,
    before?: Pick<store.RecordingRuleRow, 'id' | 'name'>,
  ): Promise<void> {
    const { workspace, project, environment } = place;
    if (isReserved(name)) throw refused('name', `${name} is reserved: Prometheus gives it a meaning of its own`);
    const everyMs = durationMs(every);
    if (everyMs < 1_000 || everyMs > dayMs) throw refused('every', 'must be from 1s to 1d');
    if (offset !== null && durationMs(offset) > 3_600_000) throw refused('offset', 'must be at most 1h');
    const toNs = BigInt(clock.now()) * 1_000_000n;
    if (backfill_from !== undefined && parseTime(backfill_from, 'backfill_from', clock.now()) > toNs)
      throw refused('backfill_from', 'is in the future');
    const scope = { workspace: workspace.number, project: project.number, environment };
    const compiled = await gateway.compiler.compileRelation(
      query,
      {
        scope: scopeToCompile(scope),
        window: { fromNs: toNs - BigInt(everyMs) * 1_000_000n, toNs },
        nowNs: toNs,
        prefix: 'p',
        bucketNs: BigInt(everyMs) * 1_000_000n,
      },
      { workspace: workspace.number, signal },
    );
    if (!compiled.ok) throw invalidQuery(compiled.diagnostics);
    const value = valueColumn(compiled);
    if ('problem' in value) throw refused('query', `is not that of a metric: ${value.problem}`);
    const both = compiled.keys.find(({ of }) => Object.hasOwn(labels, of));
    if (both !== undefined) throw refused('labels', `and the groups of the query both name ${both.of}`);
    const isRenamed = before?.name !== name;
    // A rule that was there first can still be changed.
    if (
      isRenamed &&
      (await isIngested(gateway.lane('interactive'), { ...scope, environment: undefined }, name, signal))
    )
      throw refused('name', `${name} is a metric that the project ingests: choose another name`);
    await checkGraph(db, place, { name, query, labels }, before?.id);
  }

  /**
   * Throws for a rule that would write what another rule writes, or read what it writes itself, also through other rules.
   * @param trx a transaction that has locked the workspace, so that of two rules that feed each other the second one is refused
   * @param id the rule that is replaced
   */
  async function checkGraph(
    trx: Executor,
    { project, environment = null }: { project: Pick<ProjectRef, 'id'>; environment?: string | null | undefined },
    { name, query, labels }: Pick<RecordingRuleInput, 'name' | 'query' | 'labels'>,
    id?: string,
  ): Promise<void> {
    const rows = await store.listGraph(trx, project.id);
    const others = rows
      .filter((row) => row.id !== id)
      .map(({ definition, ...row }) => ({ ...row, query: definition.query, labels: definition.labels }));
    const made = { id: id ?? null, name, environment, query, labels };
    const isSameMetric = rows.some((row) => row.id === id && row.name === name);
    const writer = isSameMetric ? undefined : writerOf(made, others);
    if (writer !== undefined)
      throw refused(
        'name',
        `${name} is already written by another recording rule: choose another name, or give both a label with different values`,
        {
          graph: [{ rule: writer.id, name, environment: writer.environment, reads: [] }],
        },
      );
    const chain = chainOf(made, others);
    if (chain === undefined) return;
    const text = [...chain.map((node) => node.name), name].join(' reads ');
    throw refused('query', `reads the metric ${name} that the rule writes: ${text}`, { graph: chain });
  }

  /** The past to fill, in whole steps, as far as metrics are kept; empty if none is asked for. */
  async function pastOf(
    projectId: string,
    { backfill_from, every }: RecordingRuleInput,
    toMs: number,
    nowMs: number,
  ): Promise<store.BackfillValues | Record<never, never>> {
    if (backfill_from === undefined) return {};
    const asked = Number(parseTime(backfill_from, 'backfill_from', nowMs) / 1_000_000n);
    const { metrics } = await retention.of(projectId);
    const fromMs = alignedTo(Math.max(asked, nowMs - metrics * dayMs), durationMs(every));
    if (fromMs >= toMs) return {};
    const to = new Date(toMs);
    return { backfill_from: new Date(fromMs), backfill_to: to, backfill_at: to };
  }

  async function find(workspace: WorkspaceRef, id: string): Promise<store.RecordingRuleRow> {
    const row = isId(id) ? await store.findRule(db, workspace.id, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'recording rule' });
    return row;
  }

  async function changeable(workspace: WorkspaceRef, caller: UserCaller, id: string) {
    const row = await find(workspace, id);
    const environment = row.environment ?? undefined;
    await requireReadable(access, caller, { workspace: workspace.id, project: row.project_id, environment });
    return row;
  }

  return {
    find,

    /** One row more than `limit` where there are more. */
    async list(
      workspace: WorkspaceRef,
      filter: PlacedFilter,
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      return store.listRules(db, workspace.id, filter, { after, limit: limit + 1 });
    },

    /** What a rule would write now. Throws what saving it would throw, and what its query throws. */
    async preview(place: RecordingPlace, caller: UserCaller, input: RecordingRuleInput, signal: AbortSignal) {
      const { workspace, project, environment } = place;
      await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
      await check(place, input, signal);
      const nowMs = clock.now();
      const scope = { workspace: workspace.number, project: project.number, environment };
      const { steps, cost } = await previewSteps(gateway, scope, input, { nowMs, maxSeries, signal });
      const { rowsRead, bytesRead } = cost;
      return { steps, cost: { rows_read: rowsRead, bytes_read: bytesRead, took_ms: clock.now() - nowMs } };
    },

    async create(
      place: RecordingPlace,
      caller: UserCaller,
      input: RecordingRuleInput,
      origin: Origin,
      signal: AbortSignal,
    ) {
      const { workspace, project, environment } = place;
      await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
      await check(place, input, signal);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      const values = valuesOf(input);
      const watermark = alignedTo(now.getTime(), values.every_ms);
      const past = await pastOf(project.id, input, watermark, now.getTime());
      return db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.countRules(trx, workspace.id)) >= perWorkspace)
          throw fail('LIMIT_REACHED', { limit: perWorkspace, resource: 'recording rules' });
        await checkGraph(trx, place, input);
        await store.insertRule(trx, {
          id,
          workspace_id: workspace.id,
          project_id: project.id,
          environment: environment ?? null,
          watermark: new Date(watermark),
          ...values,
          ...past,
          created_by: caller.user.id,
          created_at: now,
        });
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'recording_rules.create',
            resource: { type: 'recording_rule', id, name: values.name },
            projectId: project.id,
            after: shown(values),
          },
          now,
        );
        const row = await store.findRule(trx, workspace.id, id);
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'recording rule' });
        return row;
      });
    },

    /** Throws `STALE_VERSION` unless `version` is the current one. */
    async replace(
      workspace: WorkspaceRef,
      caller: UserCaller,
      id: string,
      {
        version,
        project,
        environment,
        ...input
      }: RecordingRuleInput & {
        readonly version: number;
        readonly project?: string | undefined;
        readonly environment?: string | null | undefined;
      },
      origin: Origin,
      signal: AbortSignal,
    ) {
      const current = await changeable(workspace, caller, id);
      requireSamePlace(current, { project, environment }, 'RECORDING_RULE_INVALID');
      const place = {
        workspace,
        project: { id: current.project_id, number: current.project_number },
        environment: current.environment ?? undefined,
      };
      await check(place, input, signal, current);
      const now = dateOf(clock);
      const values = valuesOf(input);
      return db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        await checkGraph(trx, place, input, id);
        const before = await store.lockRule(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'recording rule' });
        refuseStale(version, before.version);
        const isSame =
          before.name === values.name && isDeepStrictEqual(writtenBy(before.definition), writtenBy(values.definition));
        // The end of a step of the new width; what is between is written by neither revision.
        const watermark = -alignedTo(-before.watermark.getTime(), values.every_ms);
        // A rule that was off does not write the time in which it was.
        const from = values.enabled && !before.enabled ? alignedTo(now.getTime(), values.every_ms) : watermark;
        const past = await pastOf(current.project_id, input, from, now.getTime());
        const anew = isSame && from === before.watermark.getTime() ? undefined : { watermark: new Date(from) };
        const isSaved = isUnchanged(shown(before), shown(values));
        if (!isSaved) await store.updateRule(trx, id, { ...values, ...past }, anew, now);
        const row = await store.findRule(trx, workspace.id, id);
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'recording rule' });
        if (isSaved) return row;
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'recording_rules.replace',
            resource: { type: 'recording_rule', id, name: values.name },
            projectId: before.project_id,
            before: shown(before),
            after: shown(values),
          },
          now,
        );
        return row;
      });
    },

    async remove(workspace: WorkspaceRef, caller: UserCaller, id: string, origin: Origin): Promise<void> {
      await changeable(workspace, caller, id);
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = await store.lockRule(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'recording rule' });
        await store.deleteRule(trx, id);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'recording_rules.remove',
            resource: { type: 'recording_rule', id, name: before.name },
            projectId: before.project_id,
            before: shown(before),
          },
          now,
        );
      });
    },
  };
}

function valuesOf({
  name,
  group,
  position,
  enabled,
  query,
  every,
  offset,
  labels,
  unit,
}: RecordingRuleInput): store.RuleValues {
  return {
    name,
    definition: { query, every, offset, labels, unit },
    every_ms: durationMs(every),
    // The next run corrects it.
    offset_ms: offset === null ? automaticOffsetMs(0, durationMs(every)) : durationMs(offset),
    rule_group: group,
    position,
    enabled,
  };
}

/** What decides which points are written: the offset only decides when. */
function writtenBy({ query, every, labels, unit }: store.RuleValues['definition']) {
  return { query, every, labels, unit };
}

function shown({
  name,
  definition,
  rule_group,
  position,
  enabled,
}: Pick<store.RuleValues, 'name' | 'definition' | 'rule_group' | 'position' | 'enabled'>) {
  return { name, ...definition, group: rule_group, position, enabled };
}

/** @param graph the rules that feed each other: each reads what the next one writes */
function refused(path: string, message: string, graph: { readonly graph?: readonly GraphNode[] } = {}) {
  return fail('RECORDING_RULE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message, ...graph }] });
}
