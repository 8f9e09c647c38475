/**
 * Shops with one known cause of their failures, among decoys. Written before the engine in
 * `packages/server/src/features/telemetry/why` was tuned; it shares types with it, but no code.
 */
import type { Change, Column, Novelty, WhyInput } from '../../packages/server/src/features/telemetry/why/input.ts';
import { createRandom, type Random } from './random.ts';

export type CauseKind = 'flag' | 'deploy' | 'attribute' | 'dependency' | 'version × region' | 'none';
export const causeKinds: readonly CauseKind[] = [
  'flag',
  'deploy',
  'attribute',
  'dependency',
  'version × region',
  'none',
];

/** Traces of an hour. */
export const traffic = { low: 1_000, middle: 6_000, high: 30_000 } as const;
export type Traffic = keyof typeof traffic;

/** What the answer has to name: all of these pairs. A deploy is named by its service and version. */
export type Truth =
  | { readonly kind: 'none' }
  | { readonly kind: 'flag'; readonly flag: string; readonly variant: string }
  | { readonly kind: 'deploy'; readonly service: string; readonly version: string }
  | { readonly kind: 'values'; readonly pairs: readonly (readonly [field: string, value: string])[] };

export interface Shop {
  readonly input: WhyInput;
  readonly truth: Truth;
}

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 10, 23, 10);
const services = ['frontend', 'catalogue', 'cart', 'checkout', 'search', 'reviews'];
const routes = ['/', '/product', '/search', '/cart', '/checkout', '/reviews', '/account', '/help'];
const regions = ['eu-west', 'eu-north', 'us-east', 'us-west', 'asia'];
const dependencies = ['payments', 'inventory', 'mail', 'recommendations', 'tax', 'shipping'];
/** Fewer failures that the cause is guilty of would not raise an alert; such a draw is repeated. */
const leastCaused = 25;

/** @param seed the same seed makes the same shop */
export function createShop(kind: CauseKind, level: Traffic, seed: number): Shop {
  for (let attempt = 0; ; attempt += 1) {
    const shop = draw(kind, traffic[level], createRandom(seed * 1_000 + attempt));
    if (shop !== undefined) return shop;
  }
}

interface Cause {
  readonly truth: Truth;
  /** Whether the item is exposed to the cause while it is active. */
  readonly exposed: (item: number) => boolean;
  readonly onsetMs: number;
  readonly changes: readonly Change[];
  readonly flags: readonly Column[];
  readonly columns: readonly Column[];
}

/** What every shop has, whatever its cause. */
interface World {
  readonly random: Random;
  readonly count: number;
  readonly timeMs: Float64Array;
  readonly service: Column;
  readonly route: Column;
  readonly region: Column;
  readonly version: Column;
  readonly calls: readonly Column[];
}

function draw(kind: CauseKind, count: number, random: Random): Shop | undefined {
  const world = createWorld(count, random);
  const cause = createCause(kind, world);
  const base = random.between(0.003, 0.02);
  const harm = random.between(0.15, 0.8);
  const selected = new Uint8Array(count);
  const standing = kind === 'none' ? -1 : random.whole(routes.length);
  // Half of the shops without a cause get worse all the same, for a reason that nothing recorded shows.
  const unrecorded = kind === 'none' && random.chance(0.5) ? random.between(0.05, 0.2) : 0;
  let caused = 0;
  for (let i = 0; i < count; i += 1) {
    const after = (world.timeMs[i] ?? 0) >= cause.onsetMs;
    const rate = (world.route.codes[i] === standing ? 3 * base : base) + (after ? unrecorded : 0);
    if (random.chance(rate)) selected[i] = 1;
    if (after && cause.exposed(i) && random.chance(harm)) {
      selected[i] = 1;
      caused += 1;
    }
  }
  if (kind !== 'none' && caused < leastCaused) return undefined;
  if (kind === 'none' && selected.reduce((sum, one) => sum + one, 0) < 5) return undefined;

  const decoys = createDecoys(world, cause, selected);
  const weights = new Float64Array(count).fill(1);
  return {
    truth: cause.truth,
    input: {
      items: { count, selected, timeMs: world.timeMs, weights },
      attributes: random.shuffle([
        world.service,
        world.route,
        world.region,
        world.version,
        ...world.calls,
        ...cause.columns,
        ...decoys.columns,
      ]),
      flags: random.shuffle([...cause.flags, ...decoys.flags]),
      changes: random.shuffle([...cause.changes, ...decoys.changes]),
      novelties: decoys.novelties,
      defining: new Set(['status']),
    },
  };
}

function column(name: string, values: readonly string[], count: number, code: (item: number) => number): Column {
  const codes = new Int32Array(count);
  for (let i = 0; i < count; i += 1) codes[i] = code(i);
  return { name, values, codes };
}

function createWorld(count: number, random: Random): World {
  const timeMs = new Float64Array(count).map(() => startMs + random.next() * hourMs).sort();
  const service = column('service.name', services, count, () => random.zipf(services.length));
  const route = column('http.route', routes, count, () => random.zipf(routes.length));
  const region = column('resource.cloud.region', regions, count, () => random.zipf(regions.length));
  // Two versions of each service run side by side, unless the cause deploys a third.
  const version = column('resource.service.version', ['1.0.0', '1.1.0', '2.0.0'], count, () =>
    random.chance(0.7) ? 0 : 1,
  );
  const calls = dependencies.map((name) => {
    // A route decides mostly what is called.
    const share = routes.map(() => (random.chance(0.4) ? random.between(0.5, 0.95) : random.between(0, 0.1)));
    return column(`calls.${name}`, ['true'], count, (i) => (random.chance(share[route.codes[i] ?? 0] ?? 0) ? 0 : -1));
  });
  return { random, count, timeMs, service, route, region, version, calls };
}

function createCause(kind: CauseKind, world: World): Cause {
  const { random, count, timeMs } = world;
  const onsetMs = startMs + hourMs * random.between(0.35, 0.8);
  const none = { onsetMs, changes: [], flags: [], columns: [] };
  const isAfter = (i: number) => (timeMs[i] ?? 0) >= onsetMs;
  switch (kind) {
    case 'none':
      return { ...none, truth: { kind: 'none' }, exposed: () => false };
    case 'flag': {
      const before = random.pick([0, 0, 0.05]);
      const to = random.pick([0.1, 0.25, 0.5, 1]);
      const evaluatedOn = random.chance(0.5) ? new Set([0, 1, 2, 3, 4, 5, 6, 7]) : random.subset(routes.length, 3);
      const flag = column('image-cdn', ['false', 'true'], count, (i) => {
        if (!evaluatedOn.has(world.route.codes[i] ?? 0)) return -1;
        return random.chance(isAfter(i) ? to : before) ? 1 : 0;
      });
      return {
        ...none,
        truth: { kind: 'flag', flag: 'image-cdn', variant: 'true' },
        exposed: (i) => flag.codes[i] === 1,
        flags: [flag],
        changes: [{ kind: 'flag', flag: 'image-cdn', detail: `${to * 100} %`, atMs: onsetMs - random.next() * 30_000 }],
      };
    }
    case 'deploy': {
      const of = random.whole(3);
      const share = random.pick([0.2, 0.5, 1, 1]);
      const rollMs = random.between(1_000, 300_000);
      for (let i = 0; i < count; i += 1) {
        const rolled = Math.min(1, ((timeMs[i] ?? 0) - onsetMs) / rollMs);
        if (world.service.codes[i] === of && isAfter(i) && random.chance(share * rolled)) world.version.codes[i] = 2;
      }
      const service = services[of] ?? '';
      return {
        ...none,
        truth: { kind: 'deploy', service, version: '2.0.0' },
        exposed: (i) => world.service.codes[i] === of && world.version.codes[i] === 2,
        changes: [{ kind: 'deploy', service, version: '2.0.0', atMs: onsetMs }],
      };
    }
    case 'attribute': {
      const values = Array.from({ length: 2 + random.whole(30) }, (_, n) => `v${n}`);
      const field = column('app.tenant', values, count, () => random.zipf(values.length));
      const bad = random.whole(Math.min(8, values.length));
      return {
        ...none,
        truth: { kind: 'values', pairs: [['app.tenant', `v${bad}`]] },
        exposed: (i) => field.codes[i] === bad,
        onsetMs: random.chance(0.3) ? startMs : onsetMs,
        columns: [field],
      };
    }
    case 'dependency': {
      const of = random.pick(world.calls);
      return { ...none, truth: { kind: 'values', pairs: [[of.name, 'true']] }, exposed: (i) => of.codes[i] === 0 };
    }
    case 'version × region': {
      const region = random.whole(4);
      return {
        ...none,
        truth: {
          kind: 'values',
          pairs: [
            ['resource.service.version', '1.1.0'],
            ['resource.cloud.region', regions[region] ?? ''],
          ],
        },
        exposed: (i) => world.version.codes[i] === 1 && world.region.codes[i] === region,
        onsetMs: random.chance(0.3) ? startMs : onsetMs,
      };
    }
    default:
      return kind satisfies never;
  }
}

function createDecoys(world: World, cause: Cause, selected: Uint8Array) {
  const { random, count } = world;
  const number = 20 + random.whole(181);
  const columns: Column[] = [
    column('shop.order.id', ids(count), count, (i) => i),
    column('shop.cart.id', ids(Math.ceil(count / 2)), count, (i) => Math.floor(i / 2)),
    // What errors have, and nothing else.
    column('error.type', ['timeout', '_OTHER'], count, (i) => (selected[i] === 1 ? random.whole(2) : -1)),
    column('exception.message', ids(count), count, (i) => (selected[i] === 1 && random.chance(0.6) ? i : -1)),
    column('http.response.status_code', ['200', '302', '500', '503'], count, (i) =>
      selected[i] === 1 ? 2 + random.whole(2) : random.whole(2),
    ),
  ];
  const flags: Column[] = [];
  if (cause.truth.kind !== 'none' && random.chance(0.5)) {
    const code = (i: number) => (cause.exposed(i) ? 1 : 0);
    columns.push(column('build.marker', ['blue', 'green'], count, code));
  }
  for (let n = columns.length; n < number; n += 1) {
    const sort = random.next();
    if (sort < 0.25) columns.push(correlated(`linked.${n}`, world, cause.exposed));
    else if (sort < 0.35)
      columns.push(derived(`derived.${n}`, world, random.pick([...columns.slice(5), world.region])));
    else if (sort < 0.45) flags.push(flagOf(`flag-${n}`, world, cause.exposed));
    else {
      const values = ids(2 + random.whole(40));
      const present = random.chance(0.7) ? 1 : random.between(0.1, 0.9);
      columns.push(
        column(`noise.${n}`, values, count, () => (random.chance(present) ? random.zipf(values.length) : -1)),
      );
    }
  }
  return { columns, flags, changes: changesOf(world, flags), novelties: noveltiesOf(world, selected, cause) };
}

/** An attribute that items exposed to the cause have more often than others. */
function correlated(name: string, { random, count }: World, exposed: (item: number) => boolean): Column {
  const inside = random.between(0.4, 0.9);
  const outside = random.between(0.05, 0.3);
  const values = ids(2 + random.whole(8));
  return column(name, values, count, (i) =>
    random.chance(exposed(i) ? inside : outside) ? 0 : 1 + random.whole(values.length - 1),
  );
}

/** An attribute that coarsens another one, with a few errors. */
function derived(name: string, { random, count }: World, from: Column): Column {
  const values = ids(Math.max(2, Math.ceil(from.values.length / 2)));
  return column(name, values, count, (i) => {
    const code = from.codes[i] ?? -1;
    return random.chance(0.03) ? random.whole(values.length) : code < 0 ? -1 : Math.floor(code / 2);
  });
}

/** A flag with random variants that is evaluated on some routes, or mostly where the cause is (as `wishlist-hint` was). */
function flagOf(name: string, { random, count, route }: World, exposed: (item: number) => boolean): Column {
  const share = random.between(0.1, 0.9);
  const follows = random.chance(0.3);
  const on = random.subset(routes.length, 4);
  return column(name, ['off', 'on'], count, (i) => {
    const evaluated = follows ? random.chance(exposed(i) ? 0.9 : 0.3) : on.has(route.codes[i] ?? 0);
    if (!evaluated) return -1;
    return random.chance(share) ? 1 : 0;
  });
}

/** Changes at any time that changed nothing: of versions that run already, and of the flags above. */
function changesOf({ random }: World, flags: readonly Column[]): Change[] {
  return Array.from({ length: 3 + random.whole(9) }, (_, n): Change => {
    const atMs = startMs + random.next() * hourMs;
    const flag = flags[n];
    if (flag !== undefined && random.chance(0.6)) return { kind: 'flag', flag: flag.name, detail: 'description', atMs };
    return { kind: 'deploy', service: random.pick(services), version: `0.${n}.1`, atMs };
  });
}

function noveltiesOf({ random, count, timeMs }: World, selected: Uint8Array, cause: Cause): Novelty[] {
  const novelty = (name: string, kind: Novelty['kind'], seen: (item: number) => boolean): Novelty => {
    const present = new Uint8Array(count);
    for (let i = 0; i < count; i += 1) present[i] = seen(i) ? 1 : 0;
    return { kind, name, ids: [], present };
  };
  const noise = Array.from({ length: 3 }, (_, n) => {
    const from = startMs + random.next() * hourMs;
    return novelty(`pattern ${n}`, 'log_pattern', (i) => (timeMs[i] ?? 0) > from && random.chance(0.05));
  });
  if (cause.truth.kind === 'none') return noise;
  // The symptom: what the failures that the cause makes log.
  const symptom = novelty('could not load <*>', 'log_pattern', (i) => {
    return selected[i] === 1 && cause.exposed(i) && random.chance(0.8);
  });
  return [...noise, symptom];
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `x${n}`);
}
