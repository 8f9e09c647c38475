import { WireWriter } from '@fanion/telemetry';
import { compress } from 'snappyjs';
import type { Question, Window } from '../product.ts';
import type { Queue } from './write.ts';

/** Each has its own series, since the samples of a series are sent in order. */
const SENDERS = 2;
const SERIES = 1_000;
const SHARDS = 50;
/** What the samples cover. They end some minutes ago: some products leave the newest seconds out of their answers. */
const SPAN_MS = 3_600_000;
const ENDED_MS = 300_000;

export const metricName = 'http_requests_total';

export interface SampleData {
  readonly queues: readonly Queue[];
  readonly itemsPerBody: number;
  readonly window: Window;
  probe(kind: Question['kind'], round: number): Question;
}

/** Counters that grow, of 1,000 series in 20 jobs of 50 shards, as bodies of remote write 1.0 that are packed beforehand. */
export function sampleData(items: number): SampleData {
  const points = Math.max(2, Math.round(items / SERIES));
  const to = Math.floor(Date.now() / 1000) * 1000 - ENDED_MS;
  const from = to - SPAN_MS;
  const stepMs = Math.floor(SPAN_MS / points);
  const own = SERIES / SENDERS;
  const bodies = Array.from({ length: SENDERS }, (_, sender) =>
    Array.from({ length: points }, (_, point) => body(sender * own, own, point, from + point * stepMs)),
  );
  return {
    queues: bodies.map((each) => each.values()),
    itemsPerBody: own,
    window: { from, to },
    probe(kind, round) {
      if (kind === 'rate by job, 1,000 series') return { kind };
      if (kind === 'rate by shard, 50 series') return { kind, job: jobOf(round) };
      throw new Error(`${kind} is not asked of metrics`);
    },
  };
}

const jobOf = (index: number) => `service-${index % (SERIES / SHARDS)}`;

function labelsOf(index: number): [name: string, value: string][] {
  const shard = Math.floor(index / (SERIES / SHARDS));
  return [
    ['__name__', metricName],
    ['code', String([200, 201, 404, 500][index % 4])],
    ['instance', `10.0.${shard}.${index % 20}:9090`],
    ['job', jobOf(index)],
    ['method', ['GET', 'POST', 'PUT'][index % 3] ?? ''],
    ['shard', `shard-${shard}`],
  ];
}

/** One sample of each of the series, as a scrape of all of them sends. */
function body(first: number, count: number, point: number, time: number): Buffer {
  const writer = new WireWriter();
  for (let index = first; index < first + count; index++) {
    writer.varint(10);
    writer.nested(() => {
      for (const [name, value] of labelsOf(index)) {
        writer.varint(10);
        writer.nested(() => {
          writer.varint(10);
          writer.string(name);
          writer.varint(18);
          writer.string(value);
        });
      }
      writer.varint(18);
      writer.nested(() => {
        writer.varint(9);
        writer.double(point * (1 + (index % 7)) + ((point * 31 + index) % 11));
        writer.varint(16);
        writer.varint(time);
      });
    });
  }
  return Buffer.from(compress(Uint8Array.from(writer.result())));
}
