import { newId } from '../../../../platform/ids.ts';
import { createLog } from '../../../../platform/log.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import type { Evaluate } from '../../alert-rules/evaluate.ts';
import { type AlertRunner, createAlertRunner } from '../../alert-rules/runner.ts';
import { identityOf } from '../../alert-rules/sample-rules.ts';
import type { ChannelSender } from '../../channels/index.ts';
import { type AlertingWorld, alertingWorld } from './alerting-world.ts';

export interface SimulationOptions {
  readonly rules: number;
  readonly minutes: number;
  readonly seed: number;
  /** The chance that a replica dies at a commit: half of them just before it, half just after it. */
  readonly deathsPerCommit: number;
}

export interface SimulationReport {
  readonly evaluations: number;
  readonly deaths: number;
  /** Times in which an alert fired for longer than five minutes, and those of them that a channel was not told of. */
  readonly firings: number;
  readonly missedFirings: readonly string[];
  /** Ends of what channels were told of, and those of them that they were not told of. */
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

class Died extends Error {
  override readonly name = 'Died';
}

/** The database as one replica sees it, which dies at some of its commits: then nothing of it reaches the database. */
function mortal(db: Database, dies: () => 'before' | 'after' | undefined, onDeath: () => void): Database {
  let isDead = false;
  const die = () => {
    isDead = true;
    onDeath();
    return new Died('the replica died');
  };
  return new Proxy(db, {
    get(target, name) {
      if (isDead) throw new Died('the replica is dead');
      if (name === 'transaction')
        return () => ({
          execute: async <T>(run: (trx: never) => Promise<T>): Promise<T> => {
            const fate = dies();
            const result = await target.transaction().execute(async (trx) => {
              const done = await run(trx as never);
              if (fate === 'before') throw die();
              return done;
            });
            if (fate === 'after') throw die();
            return result;
          },
        });
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Told {
  readonly channel: string;
  readonly at: number;
  readonly key: string;
  readonly body: string;
  readonly group: string;
  readonly alerts: readonly { readonly id: string; readonly status: string; readonly startsAt: number }[];
}

/**
 * Lets rules fire and resolve on a clock that the simulation turns, with two replicas that die at commits, queries that
 * fail, receivers that refuse, and minutes in which nothing runs. Compares what channels accepted with what the
 * alerts did.
 */
export async function simulate(db: Database, options: SimulationOptions): Promise<SimulationReport> {
  const random = randomFrom(options.seed);
  const world = await alertingWorld(db);
  const { clock } = world;
  const told: Told[] = [];
  const counts = { evaluations: 0, deaths: 0 };
  let isCalm = false;
  const end = clock.ms + options.minutes * minute;
  const plans = await addRules(world, options.rules, { random, end });

  const evaluate: Evaluate = async (rule, at) => {
    counts.evaluations++;
    if (!isCalm && random() < 0.02) throw new Error('the query failed');
    const labels = { rule: rule.name, ...rule.definition.labels };
    const isFiring = plans.get(rule.name)?.some(([from, to]) => at >= from && at < to) ?? false;
    const sample = { identity: identityOf(labels), labels, value: isFiring ? 1 : 0, holds: isFiring };
    return { samples: [sample], cost: { queries: 1, rowsRead: 1, bytesRead: 1 } };
  };
  const sender: ChannelSender = {
    render: (_channel, message) => JSON.stringify(message),
    async send(channel, body, key) {
      if (!isCalm && random() < 0.1) return { kind: 'retry', status: 503, error: 'busy' };
      const message = JSON.parse(body);
      const alerts = message.alerts.map((alert: { instanceId: string; status: string; startsAt: string }) => ({
        id: alert.instanceId,
        status: alert.status,
        startsAt: Date.parse(alert.startsAt),
      }));
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
    const fate = () => {
      if (isCalm || random() >= options.deathsPerCommit) return undefined;
      return random() < 0.5 ? ('before' as const) : ('after' as const);
    };
    const own = mortal(db, fate, () => {
      counts.deaths++;
      replica.isDead = true;
    });
    const holder = `${name} ${newId(clock.ms)}`;
    const notifications = world.notifications({ db: own, holder, sender, random });
    const runner = createAlertRunner({
      db: own,
      clock,
      log: createLog('silent'),
      holder,
      evaluate,
      notifications,
      storedTo: async () => ({ running: Infinity, all: Infinity }),
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
            if (!replica.isDead) throw error;
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

  const report = await compare(db, told, end);
  for (const { runner } of replicas) await runner.stop();
  await world.stop();
  return { ...counts, ...report };
}

/** Rules, and when each of them fires. */
async function addRules(
  world: AlertingWorld,
  count: number,
  { random, end }: { random: () => number; end: number },
): Promise<ReadonlyMap<string, readonly (readonly [number, number])[]>> {
  const plans = new Map<string, (readonly [number, number])[]>();
  for (let n = 0; n < count; n++) {
    const name = `rule ${n}`;
    await world.addRule(name, { labels: { team: `team ${n % 5}` } });
    const periods: (readonly [number, number])[] = [];
    for (let at = world.clock.ms + random() * 10 * minute; at < end - 15 * minute; ) {
      const length = (1 + random() * 12) * minute;
      periods.push([at, at + length]);
      at += length + (2 + random() * 15) * minute;
    }
    plans.set(name, periods);
  }
  return plans;
}

/** Longer than replicas that die, receivers that refuse and the group take together. */
const longFiringMs = 5 * minute;
/** An alert that fires again so soon may not have been announced as resolved in between. */
const soonMs = 3 * minute;

async function compare(db: Database, told: readonly Told[], end: number) {
  const transitions = await db.selectFrom('alert_transitions').selectAll().orderBy('at').orderBy('id').execute();
  const periods = new Map<string, { from: number; to: number }[]>();
  for (const { instance_id, at, from_state, to_state } of transitions) {
    const known = periods.get(instance_id) ?? [];
    periods.set(instance_id, known);
    if (to_state === 'firing' && from_state !== 'recovering') known.push({ from: at.getTime(), to: Infinity });
    const open = known.at(-1);
    if (to_state === 'resolved' && open !== undefined) open.to = at.getTime();
  }

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
        if (to - from > longFiringMs) {
          firings++;
          if (!isTold) missedFirings.push(`${channel} ${id} ${new Date(from).toISOString()}`);
        }
        const again = list[i + 1]?.from ?? Infinity;
        if (!isTold || to > end || again - to < soonMs) continue;
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
    if (before !== undefined && says(before) === says(one) && one.at - before.at < repeatMs / 2)
      wrong.push(`${place} was told the same twice: ${before.key}, ${one.key}`);
  }
  return { firings, missedFirings, ends, missedEnds, messages: byKey.size, repeated, wrong };
}
