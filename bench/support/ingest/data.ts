import type { Signal } from '@fanion/telemetry';
import { WireWriter } from '@fanion/telemetry';

/** Spans, records or points of one request. */
export const ITEMS = 500;
/** Different requests; they are sent repeatedly with other ids, later times and higher counters. */
export const BATCHES = 400;
/** Spans, or lines of one span: what one request of a service's user leaves. */
const ITEMS_PER_TRACE = 10;

/** A seeded generator (mulberry32), so that each run sends the same data. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Attribute = readonly [key: string, value: string | number];

function attribute(writer: WireWriter, tag: number, [key, value]: Attribute): void {
  writer.varint(tag);
  writer.nested(() => {
    writer.varint(10);
    writer.string(key);
    writer.varint(18);
    writer.nested(() => {
      writer.varint(typeof value === 'string' ? 10 : 24);
      if (typeof value === 'string') writer.string(value);
      else writer.varint(value);
    });
  });
}

export function batch(signal: Signal, index: number, now: number): Buffer {
  const next = random(index + 1);
  const pick = (count: number) => Math.floor(next() * count);
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => 1 + pick(255)));
  const writer = new WireWriter();
  const service = `service-${index % 20}`;
  writer.varint(10);
  writer.nested(() => {
    writer.varint(10);
    writer.nested(() => {
      const host = `host-${index % 50}`;
      const resource: Attribute[] = [
        ['service.name', service],
        ['service.version', '1.4.2'],
        ['service.instance.id', host],
        ['deployment.environment.name', 'production'],
        ['telemetry.sdk.language', 'nodejs'],
        ['telemetry.sdk.name', 'opentelemetry'],
      ];
      for (const pair of resource) attribute(writer, 10, pair);
    });
    writer.varint(18);
    writer.nested(() => {
      writer.varint(10);
      writer.nested(() => {
        writer.varint(10);
        writer.string('@opentelemetry/instrumentation-http');
      });
      const time = (i: number) => BigInt(now - ITEMS + i) * 1_000_000n + BigInt(pick(1e6));
      if (signal === 'metrics') return metrics(writer, index, now, pick);
      let trace: Trace = { id: bytes(16), spans: [] };
      for (let i = 0; i < ITEMS; i++) {
        if (i % ITEMS_PER_TRACE === 0) trace = { id: bytes(16), spans: [] };
        writer.varint(18);
        writer.nested(() =>
          signal === 'traces' ? span(writer, time(i), pick, bytes, trace) : log(writer, time(i), pick, bytes, trace),
        );
      }
    });
  });
  return Buffer.from(writer.result());
}

type Pick = (count: number) => number;
interface Trace {
  id: Buffer;
  /** Ids of its spans so far. */
  spans: Buffer[];
}
const routes = ['/cart', '/cart/{id}', '/checkout', '/products', '/products/{id}', '/users/{id}', '/search', '/login'];

function span(writer: WireWriter, start: bigint, pick: Pick, bytes: (count: number) => Buffer, trace: Trace): void {
  const id = bytes(8);
  const parent = trace.spans[pick(trace.spans.length)];
  trace.spans.push(id);
  const route = routes[pick(routes.length)] ?? '';
  writer.varint(10);
  writer.raw(trace.id);
  writer.varint(18);
  writer.raw(id);
  if (parent !== undefined) {
    writer.varint(34);
    writer.raw(parent);
  }
  writer.varint(42);
  writer.string(`GET ${route}`);
  writer.varint(48);
  writer.varint(2);
  writer.varint(57);
  writer.fixed64(start);
  writer.varint(65);
  writer.fixed64(start + BigInt(1_000_000 + pick(200_000_000)));
  const attributes: Attribute[] = [
    ['http.request.method', 'GET'],
    ['http.route', route],
    ['http.response.status_code', pick(50) === 0 ? 500 : 200],
    ['url.path', `${route}/${pick(10_000)}`],
    ['server.address', 'shop.example.com'],
    ['server.port', 443],
    ['user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64)'],
    ['network.peer.address', `10.0.${pick(255)}.${pick(255)}`],
    ['app.customer.id', `c-${pick(50_000)}`],
    ['app.cart.items', pick(30)],
  ];
  for (const pair of attributes) attribute(writer, 74, pair);
  writer.varint(122);
  writer.nested(() => {
    writer.varint(24);
    writer.varint(pick(50) === 0 ? 2 : 0);
  });
}

/** Severities: numbers 9, 13 and 17. */
const levels = ['INFO', 'WARN', 'ERROR'];

function log(writer: WireWriter, time: bigint, pick: Pick, bytes: (count: number) => Buffer, trace: Trace): void {
  trace.spans[0] ??= bytes(8);
  writer.varint(9);
  writer.fixed64(time);
  writer.varint(16);
  const level = pick(levels.length);
  writer.varint(9 + 4 * level);
  writer.varint(26);
  writer.string(levels[level] ?? '');
  writer.varint(42);
  writer.nested(() => {
    writer.varint(10);
    writer.string(`order ${pick(100_000)} of customer c-${pick(50_000)} placed in ${pick(900)} ms`);
  });
  const attributes: Attribute[] = [
    ['code.function.name', 'placeOrder'],
    ['app.customer.id', `c-${pick(50_000)}`],
    ['thread.id', pick(64)],
  ];
  for (const pair of attributes) attribute(writer, 50, pair);
  writer.varint(74);
  writer.raw(trace.id);
  writer.varint(82);
  writer.raw(trace.spans[0]);
}

/** Different pairs of service and host among the batches. */
export const SENDERS = 100;
export const POINT_EVERY_MS = 15_000;
/** Of a counter from point to point, at most twice this. */
export const GROWTH = 50;

/** Ten sums of fifty series each, a point every 15 s. */
function metrics(writer: WireWriter, index: number, now: number, pick: Pick): void {
  for (let m = 0; m < 10; m++) {
    writer.varint(18);
    writer.nested(() => {
      writer.varint(10);
      writer.string(`app.requests_${m}`);
      writer.varint(58);
      writer.nested(() => {
        for (let i = 0; i < ITEMS / 10; i++) {
          writer.varint(10);
          writer.nested(() => {
            writer.varint(17);
            writer.fixed64(BigInt(now - 7_200_000) * 1_000_000n);
            writer.varint(25);
            const slot = Math.floor(index / SENDERS);
            writer.fixed64(BigInt(now - 7_200_000 + slot * POINT_EVERY_MS) * 1_000_000n);
            writer.varint(33);
            writer.double(slot * GROWTH + pick(GROWTH));
            attribute(writer, 58, ['http.route', routes[i % routes.length] ?? '']);
            attribute(writer, 58, ['app.shard', i]);
          });
        }
        writer.varint(16);
        writer.varint(2);
        writer.varint(24);
        writer.varint(1);
      });
    });
  }
}
