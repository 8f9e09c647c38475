import { isDeepStrictEqual } from 'node:util';
import type { QueryLanguage } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import { automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { dateOf } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, invalidQuery, scopeToCompile } from '../../../platform/gateway/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import {
  changeResource,
  createResource,
  findResource,
  firstVersion,
  placeColumns,
  placeOfRow,
  type Resource,
  type ResourcePlace,
  removeResource,
  requireReadablePlace,
  scopeOf,
  type Writer,
} from '../../identity/resources/index.ts';
import { type PromqlEvaluator, parseQuery, ruleProblem } from '../../telemetry/promql/index.ts';
import { valueColumn } from '../budget/index.ts';
import { requireSamePlace } from '../place.ts';
import { chainOf, type GraphNode, isReserved, writerOf } from './graph-rules.ts';
import { isIngested } from './metric-store.ts';
import { previewSteps } from './preview.ts';
import {
  type BackfillValues,
  listGraph,
  type RecordingRuleRow,
  type RuleValues,
  recordingRules,
  writtenFrom,
} from './store.ts';
import { alignedTo } from './write-rules.ts';

const dayMs = 86_400_000;

export interface RecordingRuleDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
  readonly retention: ProjectRetention;
  readonly config: { readonly recordingRules: Config['recordingRules'] };
}

export interface RecordingRuleInput {
  readonly name: string;
  readonly query: string;
  readonly query_language?: QueryLanguage;
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

/** With the times that its definition says in words. */
type Timed = RuleValues & { readonly every_ms: number; readonly offset_ms: number };
type Request = Writer & { readonly signal: AbortSignal };

export const resource: Resource<RecordingRuleRow, RuleValues> = {
  noun: 'recording rule',
  plural: 'recording rules',
  type: 'recording_rule',
  area: 'recording_rules',
  change: 'replace',
  table: recordingRules,
  shown: ({ name, definition, rule_group, position, enabled }) => ({
    name,
    ...definition,
    group: rule_group,
    position,
    enabled,
  }),
};

/**
 * What a rule would write now. Throws what saving it would throw, and what its query throws.
 * @param replaces the rule that it would replace
 */
export async function preview(
  parts: RecordingRuleDependencies,
  request: Pick<Request, 'workspace' | 'caller' | 'signal'>,
  place: ResourcePlace,
  input: RecordingRuleInput,
  replaces?: string,
) {
  const { access, clock, gateway, promql, config } = parts;
  const { caller, signal } = request;
  await requireReadablePlace(access, caller, place);
  const current = replaces === undefined ? undefined : await findReadable(parts, request, replaces);
  if (current !== undefined) {
    const { project, environment = null } = place;
    requireSamePlace(current, { project: project.id, environment }, 'RECORDING_RULE_INVALID');
  }
  await check(parts, place, input, signal, current);
  const nowMs = clock.now();
  const how = { nowMs, maxSeries: config.recordingRules.series, signal };
  const { steps, cost } = await previewSteps({ gateway, promql }, scopeOf(place), input, how);
  const { rowsRead, bytesRead } = cost;
  return { steps, cost: { rows_read: rowsRead, bytes_read: bytesRead, took_ms: clock.now() - nowMs } };
}

export async function create(
  parts: RecordingRuleDependencies,
  request: Request,
  place: ResourcePlace,
  input: RecordingRuleInput,
): Promise<RecordingRuleRow> {
  const { db, clock, access, config } = parts;
  await requireReadablePlace(access, request.caller, place);
  await check(parts, place, input, request.signal);
  const first = firstVersion(request, clock);
  const nowMs = first.created_at.getTime();
  const values = valuesOf(input);
  const watermark = alignedTo(nowMs, values.every_ms);
  const past = await pastOf(parts, place.project.id, input, watermark, nowMs);
  const row = { ...first, ...placeColumns(place), watermark: new Date(watermark), ...values, ...past };
  return createResource(db, resource, request, row, {
    limit: config.recordingRules.perWorkspace,
    before: (trx) => checkGraph(trx, place, input),
  });
}

/** Throws `STALE_VERSION` unless `version` is the current one. */
export async function replace(
  parts: RecordingRuleDependencies,
  request: Request,
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
): Promise<RecordingRuleRow> {
  const { db, clock } = parts;
  const current = await findReadable(parts, request, id);
  requireSamePlace(current, { project, environment }, 'RECORDING_RULE_INVALID');
  const place = placeOfRow(request.workspace, current);
  await check(parts, place, input, request.signal, current);
  const now = dateOf(clock);
  const values = valuesOf(input);
  return changeResource(
    db,
    resource,
    request,
    { id, version, now },
    {
      async next(before, trx) {
        await checkGraph(trx, place, input, id);
        const from = continuesAt(before, values, now);
        const past = await pastOf(parts, current.project_id, input, from, now.getTime());
        const isSame =
          before.name === values.name && isDeepStrictEqual(writtenBy(before.definition), writtenBy(values.definition));
        const restart = isSame && from === before.watermark.getTime() ? {} : writtenFrom(new Date(from));
        return { ...values, ...past, ...('backfill_from' in past && { backfill_error: null }), ...restart };
      },
    },
  );
}

export async function remove(parts: RecordingRuleDependencies, request: Request, id: string): Promise<undefined> {
  await findReadable(parts, request, id);
  return removeResource(parts.db, resource, request, { id, now: dateOf(parts.clock) });
}

async function findReadable(
  { db, access }: Pick<RecordingRuleDependencies, 'db' | 'access'>,
  { workspace, caller }: Pick<Request, 'workspace' | 'caller'>,
  id: string,
): Promise<RecordingRuleRow> {
  const row = await findResource(db, resource, workspace.id, id);
  await requireReadablePlace(access, caller, placeOfRow(workspace, row));
  return row;
}

/** Where a replaced rule continues: at the end of a step of its new width. Neither version writes what is before that. */
function continuesAt(before: RecordingRuleRow, { enabled, every_ms }: Timed, now: Date): number {
  // A rule that was off does not write the time in which it was.
  return enabled && !before.enabled
    ? alignedTo(now.getTime(), every_ms)
    : -alignedTo(-before.watermark.getTime(), every_ms);
}

async function check(
  { db, gateway, clock }: Pick<RecordingRuleDependencies, 'db' | 'gateway' | 'clock'>,
  place: ResourcePlace,
  { query, query_language, every, offset, name, labels, unit, backfill_from }: RecordingRuleInput,
  signal: AbortSignal,
  before?: Pick<RecordingRuleRow, 'id' | 'name'>,
): Promise<void> {
  if (isReserved(name)) throw refused('name', `${name} is reserved: Prometheus already uses it`);
  const everyMs = durationMs(every);
  if (everyMs < 1_000 || everyMs > dayMs) throw refused('every', 'must be from 1s to 1d');
  if (offset !== null && durationMs(offset) > 3_600_000) throw refused('offset', 'must be at most 1h');
  const nowMs = clock.now();
  if (backfill_from !== undefined && parseTime(backfill_from, 'backfill_from', nowMs) > BigInt(nowMs) * 1_000_000n)
    throw refused('backfill_from', 'is in the future');
  const scope = scopeOf(place);
  if (query_language === 'promql') checkExpression(query);
  else await checkRelation(gateway, scope, { query, everyMs, labels }, nowMs, signal);
  const isRenamed = before?.name !== name;
  // A rule that was there first can still be changed.
  if (isRenamed && (await isIngested(gateway.lane('interactive'), { ...scope, environment: undefined }, name, signal)))
    throw refused('name', `${name} is a metric that the project ingests: choose another name`);
  await checkGraph(db, place, { name, query, query_language, labels, unit }, before?.id);
}

/** Throws `PROMQL_INVALID` for an expression that is not valid, and `RECORDING_RULE_INVALID` for one that returns no numbers. */
function checkExpression(query: string): void {
  const problem = ruleProblem(parseQuery(query));
  if (problem !== undefined) throw refused('query', `is not that of a metric: ${problem}`);
}

/** Throws `OQL_INVALID` for a query that does not compile, and `RECORDING_RULE_INVALID` for one that returns no series. */
async function checkRelation(
  { compiler }: Pick<Gateway, 'compiler'>,
  scope: TelemetryScope,
  { query, everyMs, labels }: { query: string; everyMs: number; labels: RecordingRuleInput['labels'] },
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const toNs = BigInt(nowMs) * 1_000_000n;
  const bucketNs = BigInt(everyMs) * 1_000_000n;
  const window = { fromNs: toNs - bucketNs, toNs };
  const compiled = await compiler.compileRelation(
    query,
    { scope: scopeToCompile(scope), window, nowNs: toNs, prefix: 'p', bucketNs },
    { workspace: scope.workspace, signal },
  );
  if (!compiled.ok) throw invalidQuery(compiled.diagnostics);
  const value = valueColumn(compiled);
  if ('problem' in value) throw refused('query', `is not that of a metric: ${value.problem}`);
  const both = compiled.keys.find(({ of }) => Object.hasOwn(labels, of));
  if (both !== undefined) throw refused('labels', `and the groups of the query both name ${both.of}`);
}

/**
 * Throws for a rule that would write what another rule writes, or read what it writes itself, also through other rules.
 * @param trx a transaction that has locked the workspace, so that of two rules that feed each other the second one is refused
 * @param id the rule that is replaced
 */
async function checkGraph(
  trx: Executor,
  { project, environment = null }: Pick<ResourcePlace, 'project'> & { environment?: string | null | undefined },
  rule: Pick<RecordingRuleInput, 'name' | 'query' | 'query_language' | 'labels' | 'unit'>,
  id?: string,
): Promise<void> {
  const rows = await listGraph(trx, project.id);
  const others = rows.filter((row) => row.id !== id).map(({ definition, ...row }) => ({ ...row, ...definition }));
  const { name } = rule;
  const made = { ...rule, id: id ?? null, environment };
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

/** The range to backfill, in whole steps and within the retention of metrics; empty if no backfill is requested. */
async function pastOf(
  { retention }: Pick<RecordingRuleDependencies, 'retention'>,
  projectId: string,
  { backfill_from, every }: RecordingRuleInput,
  toMs: number,
  nowMs: number,
): Promise<BackfillValues | Record<never, never>> {
  if (backfill_from === undefined) return {};
  const asked = Number(parseTime(backfill_from, 'backfill_from', nowMs) / 1_000_000n);
  const { metrics } = await retention.of(projectId);
  const fromMs = alignedTo(Math.max(asked, nowMs - metrics * dayMs), durationMs(every));
  if (fromMs >= toMs) return {};
  const to = new Date(toMs);
  return { backfill_from: new Date(fromMs), backfill_to: to, backfill_at: to };
}

function valuesOf(input: RecordingRuleInput): Timed {
  const { name, group, position, enabled, query, query_language = 'oql', every, offset, labels, unit } = input;
  return {
    name,
    definition: { query, query_language, every, offset, labels, unit },
    every_ms: durationMs(every),
    // The next run corrects it.
    offset_ms: offset === null ? automaticOffsetMs(0, durationMs(every)) : durationMs(offset),
    rule_group: group,
    position,
    enabled,
  };
}

/** What decides which points are written: the offset only decides when. */
function writtenBy({ query, query_language = 'oql', every, labels, unit }: RuleValues['definition']) {
  return { query, query_language, every, labels, unit };
}

/** @param graph the rules that feed each other: each reads what the next one writes */
function refused(path: string, message: string, graph: { readonly graph?: readonly GraphNode[] } = {}) {
  return fail('RECORDING_RULE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message, ...graph }] });
}
