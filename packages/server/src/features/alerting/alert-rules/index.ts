/**
 * An alert rule: a replica holds leased shards of rules in memory (`runner.ts`). At each slot, once the rows of its
 * time are stored, it runs the query in the lane `alert`, together with queries that differ in a literal
 * (`shared-answers.ts`). `step-rules.ts` moves the instances, and the changes are written unless another replica holds
 * the shard by then.
 */

import { alertInstancesRoutes, alertRulesRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { UserCaller } from '../../../http/caller.ts';
import { type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Arrivals } from '../../../platform/arrivals/index.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { durationText } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId } from '../../../platform/ids.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Registry } from '../../../platform/own-metrics.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ClockGuard } from '../../../platform/replicas/index.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects } from '../../identity/access/index.ts';
import {
  findResource,
  pageOfPlaced,
  placeIn,
  type ResourcePlace,
  requireReadablePlace,
  scopeOf,
} from '../../identity/resources/index.ts';
import type { PromqlEvaluator } from '../../telemetry/promql/index.ts';
import type { AlertNotifications } from '../alert-notifications.ts';
import { listFlagChanges } from '../flag-changes-store.ts';
import { createEvaluate } from './evaluate.ts';
import { createEvaluateRange } from './evaluate-range.ts';
import {
  findInstance,
  listInstances,
  listTransitions,
  type NamedInstanceRow,
  pruneInstances,
} from './instances-store.ts';
import { presentInstance, presentTransition, textOf } from './present.ts';
import { type Preview, preview } from './preview.ts';
import type { Evaluators } from './preview-evaluations.ts';
import { caughtBy, caughtWithinMs } from './preview-rules.ts';
import { AlertRunner } from './runner.ts';
import {
  type AlertRulesDependencies,
  check,
  create,
  offsetMsOf,
  present,
  presentOne,
  remove,
  requireReadableAlerts,
  resource,
  update,
  valuesOf,
} from './service.ts';
import { type InstanceState, isFiring, resolvedKeptMs } from './step-rules.ts';
import { alertRules, isListedRule } from './store.ts';

export { findInstance, listInstances, type NamedInstanceRow } from './instances-store.ts';
export { putSloRules, removeSloRules, type SloRuleSpec } from './kept-by-slos.ts';
export { createAlertHistory } from './periods.ts';
export { activeState } from './periods-rules.ts';
export { holds } from './sample-rules.ts';
export { type AlertRuleRow, alertRules, isListedRule } from './store.ts';

const timelineLength = 200;
/** Of a preview: changes of flags that are compared with its firings, the latest ones, and those that are listed. */
const changesCompared = 1_000;
const caughtListed = 50;
/** How long the timeline of an instance that is over is kept. */
const timelineKeptMs = 90 * 86_400_000;

/** Alert rules, and what becomes of their instances. */
export const alertRulesFeature = {
  name: 'alerting/alert-rules',
  routes: handlers,
  jobs: ({ db, clock }: Pick<AlertRulesDependencies, 'db' | 'clock'>) => [pruneJob(db, clock)],
  start({
    db,
    clock,
    log,
    gateway,
    promql,
    replica,
    notifications,
    arrivals,
    config,
    clockGuard,
    ownMetrics,
  }: {
    db: Database;
    clock: Clock;
    log: Log;
    gateway: Gateway;
    promql: PromqlEvaluator;
    replica: string;
    notifications: AlertNotifications;
    arrivals: Arrivals;
    config: Pick<Config, 'alerts'>;
    clockGuard: ClockGuard;
    ownMetrics: Registry;
  }) {
    const evaluate = createEvaluate({ gateway, promql, lane: 'alert', db, clock, limits: config.alerts });
    const runner = new AlertRunner({
      db,
      clock,
      log,
      holder: replica,
      evaluate,
      notifications,
      arrivals,
      concurrency: config.alerts.concurrency,
      isClockTrusted: () => clockGuard.isTrusted(),
      metrics: ownMetrics,
    });
    runner.start();
    return runner;
  },
} satisfies Feature;

/** A table, and as long as the list of routes: each entry is a step of the product and the form of its answer. */
function handlers(parts: AlertRulesDependencies): MountedRoute[] {
  const { db, clock, gateway, promql, notifications } = parts;
  const asked = { gateway, promql, lane: 'background', db, clock, limits: parts.config.alerts } as const;
  const evaluators = { evaluate: createEvaluate(asked), evaluateRange: createEvaluateRange(asked) };
  const rules = implement(alertRulesRoutes, {
    listAlertRules: (context) =>
      pageOfPlaced(db, context, async (page, filter) =>
        present(parts, await alertRules.list(db, context.workspace.id, page, isListedRule(filter))),
      ),
    async createAlertRule(context) {
      const { project: _project, environment: _environment, ...input } = context.body;
      return presentOne(parts, await create(parts, context, placeIn(context), input));
    },
    previewAlertRule: (context) => previewed(parts, evaluators, context),
    getAlertRule: async ({ workspace, params }) =>
      presentOne(parts, await findResource(db, resource, workspace.id, params.id)),
    updateAlertRule: async (context) =>
      presentOne(parts, await update(parts, context, context.params.id, context.body)),
    removeAlertRule: (context) => remove(parts, context, context.params.id),
  });
  const instances = implement(alertInstancesRoutes, {
    async listAlertInstances({ workspace, query: { rule, state, label, limit, cursor } }) {
      const after = decodeCursor(cursor, isId);
      const filter = { ruleId: rule, state, label: labelOf(label), resolvedAfter: dateOf(clock, -resolvedKeptMs) };
      const rows = await listInstances(db, workspace.id, filter, { after, limit: limit + 1 });
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      const held = await notifications.heldBack(workspace.id, items.filter(isFiringRow).map(alertOf));
      return page(
        items.map((row) => presentInstance(row, held.get(row.id), clock.now())),
        nextCursor,
      );
    },
    async getAlertInstance({ workspace, params }) {
      const row = isId(params.id) ? await findInstance(db, workspace.id, params.id) : undefined;
      if (row === undefined) throw fail('NOT_FOUND', { resource: 'alert instance' });
      const timeline = await listTransitions(db, row.id, timelineLength);
      const held = await notifications.heldBack(workspace.id, [row].filter(isFiringRow).map(alertOf));
      return {
        ...presentInstance(row, held.get(row.id), clock.now()),
        timeline: timeline.map(presentTransition),
        deliveries: await notifications.deliveriesOf(workspace.id, row.id),
      };
    },
  });
  return [...rules, ...instances];
}

async function previewed(
  parts: AlertRulesDependencies,
  evaluators: Evaluators,
  { workspace, narrowed, caller, body, signal }: Context<typeof alertRulesRoutes.previewAlertRule>,
) {
  const { access, clock } = parts;
  const { project: _project, environment: _environment, from, to, ...input } = body;
  const place = placeIn({ workspace, narrowed });
  await requireReadablePlace(access, caller, place);
  const values = valuesOf(input);
  await requireReadableAlerts(parts, { workspace, caller }, place, values);
  await check(parts, place, values, signal);
  const began = clock.now();
  const { fromNs, toNs } = parseWindow({ from, to }, began);
  await parts.arrivals.refresh();
  const offsetMs = offsetMsOf(parts, values, place.project.number);
  const window = { fromMs: Number(fromNs / 1_000_000n), toMs: Number(toNs / 1_000_000n), offsetMs };
  const seen = await preview(evaluators, { ...values, scope: scopeOf(place), place }, window, signal);
  return {
    instances: seen.instances.map(({ labels, transitions }) => ({
      labels,
      transitions: transitions.map(({ to, at, value, reason }) => ({
        state: to,
        at: new Date(at).toISOString(),
        value: textOf(value),
        reason,
      })),
    })),
    truncated: seen.truncated,
    caught: await caught(parts, place, caller, seen, window),
    evaluations: seen.evaluations,
    failed: seen.failed,
    error: seen.error,
    step: durationText(seen.stepMs),
    completeness: seen.completeness,
    cost: {
      queries: seen.cost.queries,
      rows_read: seen.cost.rowsRead,
      bytes_read: seen.cost.bytesRead,
      took_ms: clock.now() - began,
    },
  };
}

/** The flag changes after which the rule would have fired. Null for callers who may not read flags. */
async function caught(
  { access, db }: AlertRulesDependencies,
  { workspace, project, environment }: ResourcePlace,
  caller: UserCaller,
  { instances }: Preview,
  { fromMs, toMs }: { fromMs: number; toMs: number },
) {
  const readable = await readableProjects(access, db, caller, workspace.id, 'flags:read');
  if (readable !== undefined && !readable.includes(project.id)) return null;
  const firedAt = instances.flatMap(({ transitions }) =>
    transitions.flatMap(({ from, to, at }) => (isFiring({ state: to }) && !isFiring({ state: from }) ? [at] : [])),
  );
  if (firedAt.length === 0) return [];
  const changes = await listFlagChanges(
    db,
    { projectId: project.id, environment: environment ?? null },
    { from: new Date(fromMs - caughtWithinMs), to: new Date(toMs) },
    changesCompared,
  );
  return caughtBy(changes, firedAt)
    .slice(0, caughtListed)
    .map(({ kind: _kind, ...change }) => change);
}

/** Only an alert that would be notified can be held back. */
function isFiringRow({ state }: NamedInstanceRow): boolean {
  return isFiring({ state: state as InstanceState });
}

/** An alert as silences and inhibitions see it. */
function alertOf({ id, labels, rule_name }: NamedInstanceRow) {
  return { id, labels: { ...labels, alertname: rule_name } };
}

/** `name=value`, as the contract has checked; a value may contain further equals signs. */
function labelOf(text: string | undefined): { name: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

function pruneJob(db: Database, clock: Clock): JobKind {
  return {
    kind: 'alert_instances.prune',
    everyMs: 3_600_000,
    async run(run) {
      await pruneInstances(db, dateOf(clock, -timelineKeptMs));
      await run.finish();
    },
  };
}
