import type { ResultValue } from '../../result.ts';
import type { SpanRow } from '../fixture.ts';
import { quantile, sum, weightOf } from '../golden/expected.ts';
import { START } from '../world.ts';
import { BOUNDS, histograms, logs, points, STACKS, samples, series, spans } from './world.ts';

/** A reference query, and its answer computed from the rows in plain TypeScript. */
export interface Reference {
  readonly query: string;
  readonly rows: readonly (readonly ResultValue[])[];
  /** The relative tolerance of numbers: quantiles of spans come from digests. */
  readonly within?: number;
  /** The absolute tolerance, where a number is a ratio of two such quantiles. */
  readonly slack?: number;
}

function grouped<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

const MINUTE_NS = 60_000_000_000n;
const inHour = ({ time }: { readonly time: bigint }) => time >= START;
const hour = spans.filter(inHour);
const timeText = (time: bigint) => new Date(Number(time / 1_000_000n)).toISOString().replace('.000Z', 'Z');
const bucket = (time: bigint, minutes: bigint) => timeText(time - (time % (minutes * MINUTE_NS)));
const traces = grouped(hour, ({ trace_id }) => trace_id);
const isTimeout = (body: string) => /(^|[^a-z0-9])timeout([^a-z0-9]|$)/i.test(body);

function sorted<T extends readonly ResultValue[]>(rows: readonly T[]): readonly T[] {
  const key = (row: T) => row.filter((value) => typeof value === 'string').join('\0');
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** A value, repeated for each span that its span represents. */
const weighted = (of: readonly SpanRow[]) => of.flatMap(({ duration, weight }) => Array<number>(weight).fill(duration));

function found(): Reference['rows'] {
  return logs
    .filter((row) => inHour(row) && row.service === 'checkout' && row.severity >= 17 && isTimeout(row.body))
    .sort((a, b) => Number(b.time - a.time))
    .slice(0, 50)
    .map(({ time, body }) => [timeText(time), body]);
}

function filled(): Reference['rows'] {
  const errors = logs.filter((row) => inHour(row) && row.severity >= 17);
  const services = [...new Set(errors.map(({ service }) => service))].sort();
  return Array.from({ length: 12 }, (_, i) => START + BigInt(i * 5) * MINUTE_NS).flatMap((from) =>
    services.map((service): readonly ResultValue[] => [
      timeText(from),
      service,
      errors.filter((row) => row.service === service && bucket(row.time, 5n) === timeText(from)).length,
    ]),
  );
}

function paths(): Reference['rows'] {
  const lines = logs
    .filter((row) => inHour(row) && row.service === 'nginx')
    .flatMap(({ body }) => {
      const [, path = '', size = ''] = /"GET (\S+) HTTP\/1\.1" \d+ (\d+)$/.exec(body) ?? [];
      return path === '' ? [] : [{ path, size: Number(size) }];
    });
  const groups = [...grouped(lines, ({ path }) => path)].sort(
    ([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1),
  );
  const row = (name: string, of: readonly (typeof lines)[number][]) => [
    name,
    of.length,
    quantile(
      of.map(({ size }) => size),
      0.95,
    ),
  ];
  return [
    ...groups.slice(0, 3).map(([path, of]) => row(path, of)),
    row(
      '(other)',
      groups.slice(3).flatMap(([, of]) => of),
    ),
  ];
}

function red(): Reference['rows'] {
  const servers = hour.filter(({ kind }) => kind === 'server');
  const groups = grouped(servers, ({ service, strings }) => `${service} ${strings['http.route'] ?? ''}`);
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, of]): readonly ResultValue[] => {
      const [service = '', route = ''] = key.split(' ');
      const durations = weighted(of);
      const failed = weightOf(of.filter(({ status }) => status === 'error'));
      return [
        service,
        route || null,
        weightOf(of) / 3600,
        failed / weightOf(of),
        quantile(durations, 0.5),
        quantile(durations, 0.99),
      ];
    });
  return rows.slice(0, 3);
}

function rates(): Reference['rows'] {
  const rows = new Map<string, number>();
  for (const { series: id, service, temporality } of series.filter(
    ({ metric }) => metric === 'http.server.request.count',
  )) {
    const own = points.filter((point) => point.series === id);
    own.forEach((point, i) => {
      const before = own[i - 1];
      const time = BigInt(point.time) * 1_000_000n;
      if (time < START || !before) return;
      const isWhole = temporality === 'delta' || point.value < before.value || point.start_time > before.start_time;
      const key = `${bucket(time, 5n)} ${service}`;
      rows.set(key, (rows.get(key) ?? 0) + (isWhole ? point.value : point.value - before.value) / 300);
    });
  }
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, rate]) => {
      const [time = '', service = ''] = key.split(' ');
      return [service, time, rate];
    });
}

function explicitQuantiles(): Reference['rows'] {
  const own = series.filter(({ metric }) => metric === 'http.server.request.duration');
  return sorted(
    own.map(({ series: id, attributes }): readonly ResultValue[] => {
      const all = histograms.filter((point) => point.series === id);
      const first = all.findLast(({ time }) => BigInt(time) * 1_000_000n < START)?.bucket_counts ?? [];
      const grown = (all.at(-1)?.bucket_counts ?? []).map((n, i) => n - (first[i] ?? 0));
      const rank = 0.99 * sum(grown);
      let below = 0;
      for (const [i, high] of BOUNDS.entries()) {
        const count = grown[i] ?? 0;
        const low = BOUNDS[i - 1] ?? 0;
        if (below + count >= rank)
          return [attributes['http.route'] ?? '', low + ((high - low) * (rank - below)) / count];
        below += count;
      }
      return [attributes['http.route'] ?? '', BOUNDS.at(-1) ?? 0];
    }),
  );
}

function exponentialQuantiles(): Reference['rows'] {
  const own = series.filter(({ metric }) => metric === 'rpc.duration');
  const groups = grouped(own, ({ attributes }) => attributes.rpc ?? '');
  return sorted(
    [...groups].map(([rpc, of]): readonly ResultValue[] => {
      const ids = new Set(of.map(({ series: id }) => id));
      const all = histograms.filter((point) => ids.has(point.series));
      const scale = Math.min(...all.map((point) => point.scale));
      const counts = new Map<number, number>();
      for (const point of all) {
        point.positive_counts.forEach((n, i) => {
          const index = Math.floor((point.positive_offset + i) / 2 ** (point.scale - scale));
          counts.set(index, (counts.get(index) ?? 0) + n);
        });
      }
      const rank = 0.95 * sum([...counts.values()]);
      let below = 0;
      for (const [index, count] of [...counts].sort(([a], [b]) => a - b)) {
        if (below + count >= rank) return [rpc, 2 ** ((index + (rank - below) / count) / 2 ** scale)];
        below += count;
      }
      return [rpc, null];
    }),
  );
}

function structural(): Reference['rows'] {
  const rows = new Map<string, number>();
  for (const of of traces.values()) {
    if (!of.some((span) => span.service === 'frontend' && span.status === 'ok')) continue;
    // In this world all spans of a trace are descendants of its only frontend span.
    const names = of
      .filter((span) => span.status === 'error' && span.strings['db.system'] === 'postgresql')
      .map(({ name }) => name);
    for (const name of new Set(names)) rows.set(name, (rows.get(name) ?? 0) + 1);
  }
  return sorted([...rows]);
}

function lost(): Reference['rows'] {
  const those = [...traces.values()].filter(
    (of) =>
      of.some(({ name }) => name === 'order.create') &&
      !of.some(({ name, status }) => name === 'order.persist' && status !== 'error'),
  );
  const gaps = those.flatMap((of) => {
    const [from, to] = ['order.create', 'publish'].map((wanted) => of.find(({ name }) => name === wanted)?.time);
    return from === undefined || to === undefined ? [] : [Number(to - from)];
  });
  return [[those.length, quantile(gaps, 0.95)]];
}

function joined(): Reference['rows'] {
  return hour
    .filter(({ name, duration }) => name === 'POST /checkout' && duration > 100_000_000)
    .flatMap((span) =>
      logs
        .filter((row) => row.trace_id === span.trace_id && row.severity >= 17)
        .map((row) => ({ time: span.time, row: [timeText(span.time), span.trace_id, span.duration, row.body] })),
    )
    .sort((a, b) => Number(b.time - a.time))
    .slice(0, 20)
    .map(({ row }) => row);
}

function compared(): Reference['rows'] {
  const p95 = (from: bigint) => {
    const of = spans.filter(({ service, time }) => service === 'cart' && time >= from && time < from + 10n * MINUTE_NS);
    return quantile(weighted(of), 0.95);
  };
  return Array.from({ length: 6 }, (_, i) => {
    const from = START + BigInt(i * 10) * MINUTE_NS;
    const [now, then] = [p95(from), p95(from - 30n * MINUTE_NS)];
    return [timeText(from), now, then, now / then - 1];
  });
}

function profiled(): Reference['rows'] {
  const slow = new Set(hour.filter(({ duration }) => duration > 200_000_000).map(({ trace_id }) => trace_id));
  const totals = new Map<string, number>();
  for (const { trace_id, stack_id, value } of samples) {
    const leaf = STACKS.find((stack) => stack.stack_id === stack_id)?.frames.at(-1) ?? '';
    if (slow.has(trace_id)) totals.set(leaf, (totals.get(leaf) ?? 0) + value);
  }
  return [...totals].sort(([, a], [, b]) => b - a).slice(0, 5);
}

/** The largest difference in share among all attribute values in the world. */
function contrasted(): Reference['rows'] {
  const selected = hour.filter(({ status }) => status === 'error');
  const rest = hour.filter(({ status }) => status !== 'error');
  const attributesOf = (span: SpanRow) => ({
    ...span.strings,
    'resource.service.name': span.service,
    name: span.name,
    kind: span.kind,
  });
  const share = (of: readonly SpanRow[], field: string, value: string) =>
    weightOf(
      of.filter((span) => Object.entries(attributesOf(span)).some(([key, text]) => key === field && text === value)),
    ) / weightOf(of);
  const pairs = new Set(hour.flatMap((span) => Object.entries(attributesOf(span)).map((pair) => pair.join('\0'))));
  const differences = [...pairs].map((pair) => {
    const [field = '', value = ''] = pair.split('\0');
    return Math.abs(share(selected, field, value) - share(rest, field, value));
  });
  return [[Math.max(...differences)]];
}

const user = hour.find(({ strings }) => strings['user.id'] !== undefined)?.strings['user.id'] ?? '';

/** The reference queries; one that returns whole rows of a signal ends with the columns to compare. */
export const REFERENCES: readonly Reference[] = [
  {
    query:
      'logs | where service.name == "checkout" and severity >= error and body has "timeout" | sort -time | limit 50 | fields time, body',
    rows: found(),
  },
  { query: 'logs | where severity >= error | stats n=count() by bucket(5m), service.name | fill 0', rows: filled() },
  {
    query: String.raw`logs | where service.name=="nginx" | parse body "<ip> - - [<_>] \"<method> <path> <_>\" <code:int> <size:int>" | stats n=count(), p95=p95(size) by path | top 3 by n other`,
    rows: paths(),
  },
  {
    query:
      'spans | where kind == server | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name, http.route | limit 3',
    rows: red(),
    within: 0.05,
  },
  {
    query: 'metric http.server.request.count | rate 5m | sum by service.name, bucket(5m)',
    rows: rates(),
    within: 1e-9,
  },
  {
    query: 'metric http.server.request.duration | increase | p99 by http.route',
    rows: explicitQuantiles(),
    within: 1e-9,
  },
  { query: 'metric rpc.duration | p95 by rpc', rows: exponentialQuantiles(), within: 1e-9 },
  {
    query:
      'spans | match a{service.name == "frontend" and status == ok} >> b{status == error and db.system == "postgresql"} | stats n=count_distinct(trace_id) by b.name',
    rows: structural(),
  },
  {
    query:
      'traces | where any(name == "order.create") and none(name == "order.persist" and status != error) | stats n=count(), gap=p95(gap("order.create","publish"))',
    rows: lost(),
    within: 0.05,
  },
  {
    query:
      'spans | where name == "POST /checkout" and duration > 100ms | join logs on trace_id within 1m as l | where l.severity >= error | fields time, trace_id, duration, l.body | limit 20',
    rows: joined(),
  },
  {
    query: 'spans | where service.name=="cart" | stats p95=p95(duration) by bucket(10m) | compare 30m',
    rows: compared(),
    within: 0.05,
    slack: 0.05,
  },
  {
    query:
      'profiles cpu | where trace_id in (spans | where duration > 200ms | fields trace_id) | stats self=sum(value) by leaf | top 5 by self',
    rows: profiled(),
  },
  {
    query: 'spans | contrast (status == error) top 5 | extend size = abs(difference) | stats most=max(size)',
    rows: contrasted(),
    within: 1e-9,
  },
  {
    query: `spans | where user.id == "${user}" | stats count()`,
    rows: [[weightOf(hour.filter(({ strings }) => strings['user.id'] === user))]],
  },
];
