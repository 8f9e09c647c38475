import { describe, expect, it } from 'vitest';
import type { WalEntry } from '../entry.ts';
import { type CountedAnswer, encodeEvaluations, type SeenEvaluation } from '../evaluations.ts';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { type KeyValue, logsRequest, nanos, text } from '../testing/otlp.ts';
import { BufferPool } from './buffer-pool.ts';
import { SegmentTranscoder } from './segment.ts';
import { SeriesCache } from './series-cache.ts';

const receivedAt = Date.UTC(2026, 5, 1, 12);
const entry = (change: Partial<WalEntry>): WalEntry => ({
  ...{ signal: 'evaluations', encoding: 'evaluations-json', workspace: 7, project: 9, environment: 'production' },
  ...{ retentionDays: 30, receivedAt, items: 1, refused: new Uint32Array(), body: Buffer.alloc(0) },
  ...change,
});
const answer = (change: Partial<CountedAnswer>): CountedAnswer => ({
  ...{ at: receivedAt, flag: 'a', variant: 'on', reason: 'default', version: '1', tracked: false, error: '', count: 1 },
  ...change,
});
const seen = (unit: string): SeenEvaluation => {
  const { count: _, ...one } = answer({ tracked: true });
  return { ...one, unit, kind: '', traceId: '', spanId: '' };
};
const counted = (...answers: CountedAnswer[]) => entry({ body: encodeEvaluations({ counted: answers, seen: [] }) });

function transcoded(entries: readonly WalEntry[]) {
  const transcoder = new SegmentTranscoder(new SeriesCache(), new BufferPool());
  const failed: unknown[] = [];
  for (const one of entries) {
    try {
      transcoder.add(one);
    } catch (error) {
      failed.push(error);
    }
  }
  const blocks = transcoder.finish().blocks.filter(({ table }) => table === 'flag_events');
  return { blocks, failed, rows: blocks.reduce((sum, block) => sum + block.rows, 0) };
}
/** The last eight bytes of a row are the number of evaluations that it represents. */
const lastCount = (body: Buffer | undefined) => Number(body?.readBigUInt64LE((body?.length ?? 8) - 8));

function logEntry(attributes: KeyValue[], resource: KeyValue[], environment = ''): WalEntry {
  const record = { timeUnixNano: nanos(receivedAt), eventName: 'feature_flag.evaluation', attributes };
  const body = jsonToProtobuf('logs', Buffer.from(JSON.stringify(logsRequest([record], resource))));
  return entry({ signal: 'logs', encoding: 'otlp-protobuf', environment, body });
}

describe("the server's own counts", () => {
  it('become one row for equal answers of one second, also from several entries', () => {
    const { blocks, rows } = transcoded([
      counted(answer({ count: 3 }), answer({ variant: 'off' })),
      counted(answer({ at: receivedAt + 999, count: 4 })),
    ]);
    expect(rows).toBe(2);
    const [only] = transcoded([
      counted(answer({ count: 3 })),
      counted(answer({ at: receivedAt + 999, count: 4 })),
    ]).blocks;
    expect(lastCount(only?.body)).toBe(7);
    expect(blocks).toHaveLength(1);
  });

  it('are separate by second, by answer and by place', () => {
    expect(transcoded([counted(answer({}), answer({ at: receivedAt + 1_000 }))]).rows).toBe(2);
    expect(transcoded([counted(answer({}), answer({ version: '2' }), answer({ reason: 'split' }))]).rows).toBe(3);
    const other = { ...counted(answer({})), project: 10 };
    expect(transcoded([counted(answer({})), other, { ...other, environment: 'staging' }]).rows).toBe(3);
  });

  it('makes the same blocks each time', () => {
    const entries = [
      entry({ body: encodeEvaluations({ counted: [answer({ count: 5 })], seen: [seen('ada'), seen('eve')] }) }),
      counted(answer({ count: 2 }), answer({ flag: 'b' })),
    ];
    const of = () =>
      transcoded(entries).blocks.map(({ table, number, rows, body }) => [table, number, rows, body.toString('hex')]);
    expect(of()).toEqual(of());
    expect(transcoded(entries).rows).toBe(4);
  });

  it('are rejected as a whole if they cannot be read', () => {
    const { failed, rows } = transcoded([
      entry({ body: Buffer.from('[[["x"]],[]]') }),
      entry({ body: Buffer.from('nothing') }),
      counted(answer({})),
    ]);
    expect(failed).toHaveLength(2);
    expect(rows).toBe(1);
  });
});

describe('an evaluation reported by a client', () => {
  const key = text('feature_flag.key', 'told');
  const set = text('feature_flag.set.id', 'shop/staging');
  const environmentOf = (one: WalEntry) => {
    const [block] = transcoded([one]).blocks;
    const length = block?.body[8] ?? 0;
    return block?.body.toString('utf8', 9, 9 + length);
  };

  it('belongs to the environment of the telemetry, else of the token, else of the set', () => {
    const resource = [text('deployment.environment.name', 'production')];
    expect(environmentOf(logEntry([key, set], resource, 'test'))).toBe('production');
    expect(environmentOf(logEntry([key, set], [], 'test'))).toBe('test');
    expect(environmentOf(logEntry([key, set], []))).toBe('staging');
    expect(environmentOf(logEntry([key, text('feature_flag.set.id', 'a set of theirs')], []))).toBe('');
  });

  it('has its names truncated, and is ignored without a key', () => {
    const long = logEntry([key, text('feature_flag.context.id', 'x'.repeat(100_000))], []);
    expect(transcoded([long]).blocks[0]?.body.length).toBeLessThan(2_000);
    expect(transcoded([logEntry([set], [])]).rows).toBe(0);
  });
});
