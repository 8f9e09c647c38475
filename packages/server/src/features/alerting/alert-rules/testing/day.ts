import type { AlertDefinition } from '@fanion/contract';
import { latenessStep, noLateness } from '@fanion/telemetry';
import { lateMsOf, newSource, type Source, withRequest } from '../../../../platform/arrivals/rules.ts';
import { durationMs } from '../../../../platform/durations.ts';
import { newId } from '../../../../platform/ids.ts';
import { createLog } from '../../../../platform/log.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { testControlPlane } from '../../../testing/control-plane.ts';
import type { Evaluate } from '../evaluate.ts';
import { listInstances } from '../instances-store.ts';
import { AlertRunner } from '../runner.ts';
import { identityOf } from '../sample-rules.ts';
import { shardOf } from '../spread.ts';
import * as store from '../store.ts';
import { Feed } from './feed.ts';
import { type ModelAlert, prometheusAlert } from './prometheus-model.ts';

export interface DayOptions {
  readonly hours: number;
  readonly seed: number;
  /** Restarts of the server, spread over the time; each takes two seconds. */
  readonly restarts: number;
}

export interface Delays {
  readonly compared: number;
  /** Seconds later than Prometheus. */
  readonly median: number;
  readonly worst: number;
  /** Changes that only Prometheus had, and that only Fanion had. */
  readonly missed: number;
  readonly wrong: number;
}

export interface DayReport {
  readonly evaluations: number;
  readonly firing: Delays;
  readonly resolved: Delays;
  /** Alerts whose changes differ, with both. */
  readonly differences: readonly string[];
}

const second = 1_000;
const stepMs = 250;
const restartMs = 2 * second;
const instances = ['a', 'b', 'c'];
const timings = [
  { every: '1s', for: '0s' },
  { every: '1s', for: '10s' },
  { every: '5s', for: '0s' },
  { every: '10s', for: '30s' },
  { every: '1m', for: '0s' },
  { every: '1m', for: '2m' },
] as const;
/** One that sends at once, and one that sends in batches. */
const sources = [
  { name: 'prompt', lateMs: [20, 90] },
  { name: 'late', lateMs: [2_200, 2_900] },
] as const;

interface Change {
  readonly to: 'firing' | 'resolved';
  readonly at: number;
}

interface Rule {
  readonly name: string;
  readonly everyMs: number;
  readonly project: number;
  readonly series: readonly {
    readonly key: string;
    readonly instance: string;
    readonly feed: Feed;
    readonly alert: ModelAlert;
  }[];
  /** When the model evaluates it next: for the same times as the runner; undefined until the first of these. */
  dueAt: number | undefined;
}

/**
 * Evaluates rules for hours of a clock that the simulation turns, with the real runner and its store, beside a model of Prometheus that
 * evaluates the same samples for the same times: two Prometheus servers whose evaluations fall on other times differ by an interval, too. Values cross the threshold, series are silent for minutes, telemetry arrives late, and the server
 * restarts.
 */
export async function simulateDay(db: Database, { hours, seed, restarts }: DayOptions): Promise<DayReport> {
  const random = randomFrom(seed);
  const plane = testControlPlane(db);
  const { clock } = plane;
  const end = clock.ms + hours * 3_600 * second;
  const rules = new Map<string, Rule>();
  const lateness = new Map<number, { source: Source }>();
  const workspaces: string[] = [];
  for (const { name: source, lateMs } of sources) {
    const { workspace, project, caller } = await plane.addTenant(source);
    workspaces.push(workspace.id);
    lateness.set(project.number, { source: newSource(clock.ms) });
    for (const timing of timings) {
      const name = `${source} ${timing.every} ${timing.for}`;
      const [everyMs, forMs] = [durationMs(timing.every), durationMs(timing.for)];
      const id = newId(clock.ms);
      await store.insertRule(db, {
        ...{ id, name, workspace_id: workspace.id, project_id: project.id, environment: null, shard: shardOf(id) },
        ...{ query: 'metric load | stats value=last(value) by name | where value > 10', enabled: true },
        definition: { ...definition, every: timing.every, condition: { ...definition.condition, for: timing.for } },
        ...{ created_by: caller.user.id, created_at: new Date(clock.ms) },
      });
      await store.bumpShard(db, shardOf(id));
      const feedOf = () =>
        new Feed({
          ...{ fromMs: clock.ms, sampleMs: Math.min(everyMs, 5 * second), lateMs, random },
          leastMs: 3 * Math.max(everyMs, 10 * second) + forMs,
          blipMs: Math.max(0, forMs - 2 * Math.max(everyMs, second)),
        });
      const series = instances.map((instance) => ({
        ...{ key: `${name} ${instance}`, instance, feed: feedOf(), alert: prometheusAlert(forMs) },
      }));
      rules.set(name, { name, everyMs, project: project.number, series, dueAt: undefined });
    }
  }

  const [ours, theirs] = [createChanges(), createChanges()];
  let evaluations = 0;
  let isWoken = false;
  const lateMsOfProject = (project: number) => {
    const known = lateness.get(project);
    return known === undefined ? 0 : lateMsOf(known.source);
  };
  const evaluate: Evaluate = async ({ name }, at) => {
    evaluations++;
    const rule = rules.get(name);
    if (rule !== undefined) alignTo(rule, at, clock.ms);
    const samples = (rule?.series ?? []).flatMap(({ instance, feed }) => {
      // The condition of the query drops the others.
      if (feed.latest(at, ({ storedAt }) => storedAt <= clock.ms)?.isHigh !== true) return [];
      const labels = { name: instance };
      return [{ identity: identityOf(labels), labels, value: 20, holds: true }];
    });
    return { samples, cost: { queries: 1, rowsRead: 0, bytesRead: 0 }, completeness: [] };
  };
  const start = (): AlertRunner =>
    new AlertRunner({
      ...{ db, clock, evaluate, log: createLog('silent'), holder: newId(clock.ms) },
      notifications: {
        fired: async () => {},
        wake() {
          isWoken = true;
        },
      },
      arrivals: {
        refresh: async () => {},
        lateMs: lateMsOfProject,
        storedTo({ project }) {
          const own = [...rules.values()].filter((rule) => rule.project === project).flatMap(({ series }) => series);
          const to = Math.min(clock.ms, ...own.map(({ feed }) => feed.unstoredSince(clock.ms)));
          return { running: to, all: to };
        },
      },
    });

  /** Notes the changes that the runner has written. */
  async function readStates(): Promise<void> {
    const filter = { ruleId: undefined, state: undefined, label: undefined, resolvedAfter: new Date(0) };
    for (const workspaceId of workspaces)
      for (const row of await listInstances(db, workspaceId, filter, { after: undefined, limit: 1_000 })) {
        const to = row.state === 'firing' ? 'firing' : row.state === 'pending' ? undefined : 'resolved';
        if (to !== undefined) ours.note(`${row.rule_name} ${row.labels.name}`, { to, at: clock.ms });
      }
  }

  const restartEveryMs = (end - clock.ms) / (restarts + 1);
  let restartAt = clock.ms + restartEveryMs;
  let runner = start();
  while (clock.ms < end) {
    clock.ms += stepMs;
    for (const rule of rules.values()) {
      const learnt = lateness.get(rule.project);
      for (const { feed } of rule.series)
        for (const { at, receivedAt } of feed.advance(clock.ms).slice(-10)) {
          if (learnt === undefined || receivedAt > clock.ms || receivedAt <= clock.ms - stepMs) continue;
          const counts = noLateness();
          counts[latenessStep(receivedAt - at)] = 1;
          learnt.source = withRequest(learnt.source, counts, clock.ms);
        }
      for (; rule.dueAt !== undefined && rule.dueAt <= clock.ms; rule.dueAt += rule.everyMs) {
        const at = rule.dueAt;
        for (const { key, feed, alert } of rule.series) {
          const isHigh = feed.latest(at, ({ receivedAt }) => receivedAt <= at)?.isHigh === true;
          const to = alert.evaluate(at, isHigh);
          if (to !== undefined) theirs.note(key, { to, at });
        }
      }
    }
    if (clock.ms >= restartAt + restartMs) {
      runner = start();
      restartAt += restartEveryMs;
    }
    if (clock.ms >= restartAt && clock.ms < restartAt + stepMs) await runner.stop();
    if (clock.ms >= restartAt) continue;
    await runner.runDue();
    if (!isWoken) continue;
    isWoken = false;
    await readStates();
  }
  await runner.stop();
  return { evaluations, ...compared(ours.all, theirs.all, end) };
}

/** The times that the runner asks for move when it learns how late telemetry arrives. */
function alignTo(rule: Rule, at: number, nowMs: number): void {
  const { everyMs, dueAt } = rule;
  if (dueAt !== undefined && (dueAt - at) % everyMs === 0) return;
  rule.dueAt = at + Math.ceil((nowMs - at) / everyMs) * everyMs;
}

const definition: AlertDefinition = {
  ...{ kind: 'threshold', change: null, every: '1m', offset: null, window: '5m', labels: {}, annotations: {} },
  condition: { op: '>', threshold: 10, for: '0s', keep_firing_for: '0s' },
  ...{ runbook_url: null, no_data: 'ok', missing_series: 'resolve', on_error: 'keep' },
};

function createChanges() {
  const all = new Map<string, Change[]>();
  return {
    all,
    /** Unless it is the state that was noted last. */
    note(key: string, change: Change): void {
      const known = all.get(key) ?? [];
      if ((known.at(-1)?.to ?? 'resolved') === change.to) return;
      all.set(key, known);
      known.push(change);
    },
  };
}

const settledMs = 120 * second;

type Changes = ReadonlyMap<string, readonly Change[]>;

function compared(ours: Changes, theirs: Changes, end: number): Omit<DayReport, 'evaluations'> {
  const differences: string[] = [];
  const delaysOf = (to: Change['to']): Delays => {
    const delays: number[] = [];
    let [missed, wrong] = [0, 0];
    for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
      const [here = [], there = []] = [ours, theirs].map((of) =>
        (of.get(key) ?? []).filter((change) => change.to === to),
      );
      // The other one may have what changed last only after the end.
      const settled = (changes: readonly Change[]) => changes.filter(({ at }) => at < end - settledMs).length;
      missed += Math.max(0, settled(there) - here.length);
      wrong += Math.max(0, settled(here) - there.length);
      if (settled(there) > here.length || settled(here) > there.length)
        differences.push(`${key} ${to}: ${here.length} and ${there.length}`);
      for (const [i, { at }] of there.entries()) {
        const own = here[i];
        if (own !== undefined) delays.push((own.at - at) / second);
      }
    }
    delays.sort((a, b) => a - b);
    const median = delays[Math.floor(delays.length / 2)] ?? 0;
    return { compared: delays.length, median, worst: delays.at(-1) ?? 0, missed, wrong };
  };
  return { firing: delaysOf('firing'), resolved: delaysOf('resolved'), differences };
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
