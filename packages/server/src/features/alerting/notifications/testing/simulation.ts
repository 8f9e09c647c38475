import { promptArrivals } from '../../../../platform/arrivals/testing/prompt-arrivals.ts';
import { fail } from '../../../../platform/fail.ts';
import { newId } from '../../../../platform/ids.ts';
import { createLog } from '../../../../platform/log.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import type { Evaluate } from '../../alert-rules/evaluate.ts';
import { AlertRunner } from '../../alert-rules/runner.ts';
import { identityOf } from '../../alert-rules/sample-rules.ts';
import type { ChannelSender } from '../../channels/index.ts';
import { type AlertingWorld, alertingWorld } from './alerting-world.ts';
import { createCommits } from './commits.ts';

export interface SimulationOptions {
  readonly rules: number;
  readonly minutes: number;
  readonly seed: number;
  /**
   * The chance that a replica dies at a commit: half of them just before it, half just after it. One dies on each side of each kind
   * of commit in any case.
   */
  readonly deathsPerCommit: number;
  /** How long the telemetry store, and later the control plane, are away. */
  readonly minutesAway: number;
  /** How often a rule fires in an hour, on average. */
  readonly firingsPerHour: number;
}

export interface SimulationReport {
  readonly evaluations: number;
  readonly deaths: number;
  /** Kinds of commits, and those at which no replica died just before it and just after it. */
  readonly commits: number;
  readonly survived: readonly string[];
  /** Times in which the condition of a rule held for long enough, and those of them that a channel was not notified of. */
  readonly periods: number;
  readonly missedPeriods: readonly string[];
  /** Times in which an alert fired for longer than five minutes, and those of them that a channel was not notified of. */
  readonly firings: number;
  readonly missedFirings: readonly string[];
  /** Ends of what channels were notified of, and those of them that they were not notified of. */
  readonly ends: number;
  readonly missedEnds: readonly string[];
  readonly messages: number;
  /** Messages that a receiver accepted more than once; all have the same key and the same bytes. */
  readonly repeated: number;
  /** Keys with several bodies, and messages of two keys that say the same too soon. */
  readonly wrong: readonly string[];
}

const second = 1_000;
const minute = 60 * second;
const stepMs = 10 * second;
const repeatMs = 20 * minute;

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

interface Told {
  readonly channel: string;
  readonly at: number;
  readonly key: string;
  readonly body: string;
  readonly group: string;
  readonly alerts: readonly {
    readonly id: string;
    readonly rule: string;
    readonly status: string;
    readonly startsAt: number;
  }[];
}

/**
 * Lets rules fire and resolve on a clock that the simulation turns, with two replicas that die at commits, queries that
 * fail, receivers that refuse, and minutes in which nothing runs. Compares what channels accepted with what the
 * alerts did.
 */
export async function simulate(db: Database, options: SimulationOptions): Promise<SimulationReport> {
  const random = randomFrom(options.seed);
  const { minutesAway } = options;
  const world = await alertingWorld(db);
  const { clock } = world;
  const told: Told[] = [];
  const counts = { evaluations: 0, deaths: 0 };
  let isCalm = false;
  const began = clock.ms;
  const end = began + options.minutes * minute;
  const awayFrom = (share: number): Period => {
    const from = began + (end - began) * share;
    return [from, from + minutesAway * minute];
  };
  const away = { telemetry: awayFrom(0.2), controlPlane: awayFrom(0.5) };
  const isAway = ([from, to]: Period) => clock.ms >= from && clock.ms < to;
  const plans = await addRules(world, options, { random, end });
  const commits = createCommits((point) => {
    if (isCalm) return undefined;
    if (!point.before) return 'before';
    if (!point.after) return 'after';
    if (random() >= options.deathsPerCommit) return undefined;
    return random() < 0.5 ? 'before' : 'after';
  });

  const evaluate: Evaluate = async (rule, at) => {
    counts.evaluations++;
    if (isAway(away.telemetry)) throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' });
    if (!isCalm && random() < 0.02) throw new Error('the query failed');
    const labels = { rule: rule.name, ...rule.definition.labels };
    const isFiring = plans.get(rule.name)?.some(([from, to]) => at >= from && at < to) ?? false;
    const sample = { identity: identityOf(labels), labels, value: isFiring ? 1 : 0, holds: isFiring };
    return { samples: [sample], cost: { queries: 1, rowsRead: 1, bytesRead: 1 }, completeness: [] };
  };
  const sender: ChannelSender = {
    render: (_channel, message) => JSON.stringify(message),
    async send(channel, body, key) {
      if (!isCalm && random() < 0.1) return { kind: 'retry', status: 503, error: 'busy' };
      const message = JSON.parse(body);
      const alerts = message.alerts.map(
        (alert: { instanceId: string; labels: { alertname: string }; status: string; startsAt: string }) => ({
          id: alert.instanceId,
          rule: alert.labels.alertname,
          status: alert.status,
          startsAt: Date.parse(alert.startsAt),
        }),
      );
      told.push({ channel: channel.name, at: clock.ms, key, body, group: message.groupKey, alerts });
      // It was accepted, and the answer was lost.
      if (!isCalm && random() < 0.05) return { kind: 'retry', status: null, error: 'reset' };
      return { kind: 'delivered', status: 200, answer: 'ok' };
    },
  };

  const channels = [await world.addChannel('one', 'one'), await world.addChannel('two', 'two')];
  const intervals = { group_wait: '10s', group_interval: '30s', repeat_interval: `${repeatMs / second}s` };
  await world.route({ channels, group_by: ['team'], ...intervals });

  interface Replica {
    readonly runner: AlertRunner;
    readonly engine: ReturnType<AlertingWorld['notifications']>['engine'];
    isDead: boolean;
  }
  function start(name: string): Replica {
    const own = commits.database(db, {
      isAway: () => isAway(away.controlPlane),
      onDeath() {
        counts.deaths++;
        replica.isDead = true;
      },
    });
    const holder = `${name} ${newId(clock.ms)}`;
    const notifications = world.notifications({ db: own, holder, sender, random });
    const runner = new AlertRunner({
      db: own,
      clock,
      log: createLog('silent'),
      holder,
      evaluate,
      notifications,
      arrivals: promptArrivals,
    });
    const replica: Replica = { runner, engine: notifications.engine, isDead: false };
    return replica;
  }

  let replicas = [start('a'), start('b')];
  async function step(): Promise<void> {
    clock.ms += stepMs;
    for (const replica of replicas) {
      for (const work of [() => replica.runner.runDue(), () => replica.engine.runDue()])
        if (!replica.isDead)
          await work().catch((error: unknown) => {
            if (!replica.isDead && !isAway(away.controlPlane)) throw error;
          });
    }
    replicas = replicas.map((replica, i) => (replica.isDead ? start(`${i}`) : replica));
  }

  while (clock.ms < end) {
    // Now and then nothing runs for a while.
    if (random() < 0.005) clock.ms += Math.floor(random() * 90) * second;
    await step();
  }
  // Nothing fails any more: what is owed arrives.
  isCalm = true;
  for (const until = clock.ms + 10 * minute; clock.ms < until; ) await step();

  // At first a replica dies at each kind of commit, twice, so that for minutes none holds its shards for long.
  const outages = [away.telemetry, away.controlPlane, [began, began + 15 * minute] as const];
  const report = await compare(db, told, { outages, end });
  const planned = comparePlans(plans, told, { outages, end, channels: channels.length });
  for (const { runner } of replicas) await runner.stop();
  await world.stop();
  return { ...counts, ...commits.report(), ...planned, ...report };
}

type Period = readonly [from: number, to: number];
type Plans = ReadonlyMap<string, readonly Period[]>;

/** Rules, and when each of them fires. */
async function addRules(
  world: AlertingWorld,
  { rules, firingsPerHour }: SimulationOptions,
  { random, end }: { random: () => number; end: number },
): Promise<Plans> {
  const plans = new Map<string, Period[]>();
  // Between two firings there is an hour divided by their number, less the time for which they fire.
  const pauseMs = Math.max(3 * minute, (60 * minute) / firingsPerHour - 8 * minute);
  for (let n = 0; n < rules; n++) {
    const name = `rule ${n}`;
    await world.addRule(name, { every: '1m', labels: { team: `team ${n % Math.ceil(rules / 10)}` } });
    const periods: Period[] = [];
    for (let at = world.clock.ms + random() * 2 * pauseMs; at < end - 15 * minute; ) {
      const length = (1 + random() * 14) * minute;
      periods.push([at, at + length]);
      at += length + 2 * minute + random() * 2 * pauseMs;
    }
    plans.set(name, periods);
  }
  return plans;
}

/** A condition that holds for longer is evaluated, fires and is sent, whatever dies and fails meanwhile. */
const longPeriodMs = 8 * minute;

/** Whether channels were notified of each long time in which the condition of a rule held, apart from when a store was away. */
function comparePlans(
  plans: Plans,
  told: readonly Told[],
  { outages, end, channels }: { outages: readonly Period[]; end: number; channels: number },
) {
  /** By rule and channel: when the alerts began that it was notified of. */
  const begun = new Map<string, number[]>();
  for (const { channel, alerts } of told)
    for (const { rule, status, startsAt } of alerts)
      if (status === 'firing') begun.set(`${channel} ${rule}`, [...(begun.get(`${channel} ${rule}`) ?? []), startsAt]);
  const missedPeriods: string[] = [];
  let periods = 0;
  for (const [rule, list] of plans)
    for (const [i, [from, to]] of list.entries()) {
      const isDisturbed = outages.some(([gone, back]) => from < back + 2 * minute && to > gone - 2 * minute);
      if (to - from < longPeriodMs || to > end || isDisturbed) continue;
      // A pause in which no evaluation succeeded makes one firing of two.
      const sinceMs = Math.min(from, (list[i - 1]?.[1] ?? 0) + 3 * minute > from ? (list[i - 1]?.[0] ?? from) : from);
      for (const channel of ['one', 'two'].slice(0, channels)) {
        periods++;
        if (!(begun.get(`${channel} ${rule}`) ?? []).some((at) => at >= sinceMs && at < to))
          missedPeriods.push(`${channel} ${rule} ${new Date(from).toISOString()}`);
      }
    }
  return { periods, missedPeriods };
}

/** Longer than replicas that die, receivers that refuse and the group take together. */
const longFiringMs = 5 * minute;
/** An alert that fires again so soon may not have been announced as resolved in between. */
const soonMs = 3 * minute;

async function compare(
  db: Database,
  told: readonly Told[],
  { outages, end }: { outages: readonly Period[]; end: number },
) {
  const transitions = await db.selectFrom('alert_transitions').selectAll().orderBy('at').orderBy('id').execute();
  const periods = new Map<string, { from: number; to: number }[]>();
  for (const { instance_id, at, from_state, to_state } of transitions) {
    const known = periods.get(instance_id) ?? [];
    periods.set(instance_id, known);
    if (to_state === 'firing' && from_state !== 'recovering') known.push({ from: at.getTime(), to: Infinity });
    const open = known.at(-1);
    if (to_state === 'resolved' && open !== undefined) open.to = at.getTime();
  }

  const calmMs = (from: number, to: number) =>
    outages.reduce((left, [gone, back]) => left - Math.max(0, Math.min(to, back) - Math.max(from, gone)), to - from);
  const missedFirings: string[] = [];
  const missedEnds: string[] = [];
  let firings = 0;
  let ends = 0;
  for (const channel of ['one', 'two']) {
    const heard = told.filter((one) => one.channel === channel);
    for (const [id, list] of periods) {
      for (const [i, { from, to }] of list.entries()) {
        const isTold = heard.some(({ alerts }) =>
          alerts.some((alert) => alert.id === id && alert.status === 'firing' && alert.startsAt === from),
        );
        // An alert that resolves, or fires again, before a notification could be sent is not notified, as in Alertmanager.
        if (calmMs(from, to) > longFiringMs) {
          firings++;
          if (!isTold) missedFirings.push(`${channel} ${id} ${new Date(from).toISOString()}`);
        }
        const again = list[i + 1]?.from ?? Infinity;
        if (!isTold || to > end || calmMs(to, again) < soonMs) continue;
        ends++;
        const isEnded = heard.some(
          ({ at, alerts }) => at >= to && alerts.some((alert) => alert.id === id && alert.status === 'resolved'),
        );
        if (!isEnded) missedEnds.push(`${channel} ${id} ${new Date(to).toISOString()}`);
      }
    }
  }

  const byKey = new Map<string, Told>();
  const wrong: string[] = [];
  let repeated = 0;
  for (const one of told) {
    const known = byKey.get(one.key);
    if (known === undefined) byKey.set(one.key, one);
    else if (known.body === one.body) repeated++;
    else wrong.push(`the key ${one.key} has two bodies`);
  }
  const last = new Map<string, Told>();
  for (const one of byKey.values()) {
    const place = `${one.channel} ${one.group}`;
    const before = last.get(place);
    last.set(place, one);
    const says = (of: Told) =>
      JSON.stringify([...of.alerts].map(({ id, status, startsAt }) => [id, status, startsAt]).sort());
    if (before !== undefined && says(before) === says(one) && one.at - before.at < repeatMs)
      wrong.push(`${place} was told the same twice: ${before.key}, ${one.key}`);
  }
  return { firings, missedFirings, ends, missedEnds, messages: byKey.size, repeated, wrong };
}
