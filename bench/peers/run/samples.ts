import { remoteWriteBodies } from '../../support/remote-write/bodies.ts';
import type { Question, Window } from '../product.ts';

/** Each has its own series, since the samples of a series are sent in order. */
const SENDERS = 2;
const SERIES = 1_000;
const SHARDS = 50;
/** What the samples cover. They end some minutes ago: some products leave the newest seconds out of their answers. */
const SPAN_MS = 3_600_000;
const ENDED_MS = 300_000;

export const metricName = 'http_requests_total';

export interface SampleData {
  readonly bodies: readonly Iterable<Buffer>[];
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
  const bodies = remoteWriteBodies({
    series: own,
    samples: 1,
    senders: SENDERS,
    requests: points,
    from,
    stepMs,
    labels: (index, sender) => labelsOf(sender * own + index),
  });
  return {
    bodies,
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
