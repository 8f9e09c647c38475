import { WireReader, WireWriter } from '@fanion/telemetry';
import { compress, uncompress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { type TestSeries, writeRequest2 } from '../../../../../telemetry/src/testing/remote-write.ts';
import { useIngestEndpoint } from '../../testing/ingest-endpoint.ts';

const endpoint = useIngestEndpoint('/prometheus/api/v1/write', {
  'content-encoding': 'snappy',
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
});
const now = Date.now() - 60_000;
const types = { '=': 0, '!=': 1, '=~': 2, '!~': 3 } as const;
type Matcher = readonly [name: string, op: keyof typeof types, value: string];

interface ReadBack {
  readonly labels: Record<string, string>;
  readonly samples: readonly (readonly [bits: string, time: number])[];
  /** As they were sent, in hexadecimal digits. */
  readonly histograms: readonly string[];
}

function requestOf(matchers: readonly Matcher[], start: number, end: number): Buffer {
  const writer = new WireWriter();
  const field = (tag: number, value: string) => {
    writer.varint(tag);
    writer.string(value);
  };
  writer.varint(10);
  writer.nested(() => {
    writer.varint(8);
    writer.varint(start);
    writer.varint(16);
    writer.varint(end);
    for (const [name, op, value] of matchers) {
      writer.varint(26);
      writer.nested(() => {
        writer.varint(8);
        writer.varint(types[op]);
        field(18, name);
        field(26, value);
      });
    }
  });
  return Buffer.from(compress(writer.result()));
}

/** Passes on the fields of a message that are messages or strings, and where they are. */
function eachMessage(reader: WireReader, end: number, read: (field: number, stop: number) => void): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if ((tag & 7) !== 2) reader.skip(tag, end);
    else {
      const stop = reader.enter(end);
      read(tag >>> 3, stop);
      reader.position = stop;
    }
  }
}

function readSeries(reader: WireReader, end: number): ReadBack {
  const { bytes } = reader;
  const series = {
    labels: {} as Record<string, string>,
    samples: [] as [string, number][],
    histograms: [] as string[],
  };
  eachMessage(reader, end, (field, stop) => {
    if (field === 1) {
      const texts: string[] = [];
      eachMessage(reader, stop, (_, textEnd) => texts.push(bytes.toString('utf8', reader.position, textEnd)));
      series.labels[texts[0] ?? ''] = texts[1] ?? '';
    } else if (field === 2) {
      const bits = bytes.readBigUInt64LE(reader.position + 1).toString(16);
      reader.position += 10;
      series.samples.push([bits, reader.varint()]);
    } else series.histograms.push(bytes.toString('hex', reader.position, stop));
  });
  return series;
}

async function read(matchers: readonly Matcher[], start = now - 600_000, end = now + 60_000): Promise<ReadBack[]> {
  const { world, ada } = endpoint;
  const token = await ada.token(['telemetry:query']);
  const answer = await fetch(`${world.base}/prometheus/api/v1/read`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
    },
    body: new Uint8Array(requestOf(matchers, start, end)),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, body.toString()).toBe(200);
  const found: ReadBack[] = [];
  const reader = new WireReader(Buffer.from(uncompress(body)));
  eachMessage(reader, reader.bytes.length, (_, stop) =>
    eachMessage(reader, stop, (_, end) => found.push(readSeries(reader, end))),
  );
  return found;
}

async function write(series: TestSeries[]): Promise<void> {
  const answer = await endpoint.send(writeRequest2(series));
  expect(answer.status, await answer.text()).toBe(204);
}

const doubleOf = (bits: bigint) => new Float64Array(new BigUint64Array([bits]).buffer)[0] ?? 0;

describe('remote read', () => {
  it('returns what was written bit for bit, with staleness markers', async () => {
    const bits = [0x3ff8000000000000n, 0x8000000000000000n, 0x7ff0000000000000n, 1n, 0x7ff8000000000001n];
    const samples = [
      ...bits.map((one, i) => ({ value: doubleOf(one), time: now + i * 1_000 })),
      { value: 0, stale: true, time: now + 5_000 },
    ];
    const labels = { __name__: 'exact_total', job: 'shop/cart', instance: 'a:1', 'http.route': '/x', http_route: '/y' };
    await write([{ labels, samples, metadata: { type: 2, unit: 'seconds' } }]);
    await endpoint.gives('metric exact_total | stats n=count()', 5);
    expect(await read([['__name__', '=', 'exact_total']])).toEqual([
      {
        labels,
        samples: [...bits, 0x7ff0000000000002n].map((one, i) => [one.toString(16), now + i * 1_000]),
        histograms: [],
      },
    ]);
  });

  it('has inclusive ends and matches labels whole', async () => {
    const samples = [0, 1, 2, 3].map((value) => ({ value, time: now + value }));
    await write(['one', 'two'].map((room) => ({ labels: { __name__: 'heat', room }, samples })));
    await endpoint.gives('metric heat | stats n=count()', 8);
    const found = await read(
      [
        ['__name__', '=~', 'he.t'],
        ['room', '!~', 'o|t.*x|two'],
        ['none', '=', ''],
      ],
      now + 1,
      now + 2,
    );
    expect(found.map(({ labels, samples }) => [labels, samples.map(([, time]) => time)])).toEqual([
      [{ __name__: 'heat', room: 'one' }, [now + 1, now + 2]],
    ]);
    expect(await read([['__name__', '=~', 'he']])).toEqual([]);
  });

  it('returns native histograms with their buckets', async () => {
    const native = {
      ...{ schema: 3, count: 21, sum: -4.5, zeroCount: 2, zeroThreshold: 0.001, time: now },
      positiveSpans: [[-2, 2] as [number, number], [3, 1] as [number, number]],
      positiveDeltas: [3, 2, -1],
      negativeSpans: [[1, 1] as [number, number]],
      negativeDeltas: [7],
    };
    const custom = {
      ...{ schema: -53, count: 6, sum: 9, time: now, bounds: [0.5, 1], resetHint: 3 },
      positiveSpans: [[0, 3] as [number, number]],
      positiveDeltas: [1, 1, 1],
    };
    await write([
      { labels: { __name__: 'native' }, histograms: [native] },
      { labels: { __name__: 'custom' }, histograms: [custom] },
    ]);
    await endpoint.gives('metric native | stats n=count()', 1);
    const doubles = (...values: number[]) => Buffer.from(Float64Array.from(values).buffer).toString('hex');
    const [one] = await read([['__name__', '=', 'native']]);
    // The schema 3, and spans of two buckets from -2 and of one after a gap of three.
    expect(one?.histograms[0]).toContain('2006');
    expect(one?.histograms[0]).toContain('5a0408031002' + '5a0408061001');
    expect(one?.histograms[0]).toContain(`6a18${doubles(3, 5, 4)}`);
    expect(one?.histograms[0]).toContain(`5208${doubles(7)}`);
    const [other] = await read([['__name__', '=', 'custom']]);
    expect(other?.histograms[0]).toContain(`6a18${doubles(1, 2, 3)}`);
    expect(other?.histograms[0]).toContain(`820110${doubles(0.5, 1)}`);
    // Whether a counter began again is unknown, and a gauge is marked as one.
    expect(one?.histograms[0]).toContain('700078');
    expect(other?.histograms[0]).toContain('700378');
  });

  it('finds a metric of OTLP by its translated name and by the one that was sent', async () => {
    const point = {
      startTimeUnixNano: nanos(now - 60_000),
      timeUnixNano: nanos(now),
      asDouble: 5,
      attributes: [text('disk.name', 'sda')],
    };
    await endpoint.ada.ingest(
      'metrics',
      metricsRequest(
        [{ name: 'disk.io', unit: 'By', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] } }],
        [text('service.name', 'db'), text('host.name', 'h1')],
      ),
    );
    await endpoint.gives('metric disk.io | stats n=count()', 1);
    for (const name of ['disk_io_bytes_total', 'disk.io'])
      expect((await read([['__name__', '=', name]])).map(({ labels }) => labels)).toEqual([
        expect.objectContaining({ __name__: name, job: 'db', disk_name: 'sda' }),
      ]);
    expect(
      await read([
        ['__name__', '=', 'disk.io'],
        ['disk.name', '=', 'sdb'],
      ]),
    ).toEqual([]);
    expect(await read([['__name__', '=~', 'disk.+']])).toHaveLength(1);
  });

  it('has the parts of a histogram as series, each with its bound', async () => {
    const points = [1, 2].map((n) => ({
      startTimeUnixNano: nanos(now - 60_000),
      timeUnixNano: nanos(now + n),
      count: String(3 * n),
      sum: 2.5 * n,
      explicitBounds: [0.000001, 1e21],
      bucketCounts: [String(n), String(n), String(n)],
    }));
    await endpoint.ada.ingest(
      'metrics',
      metricsRequest(
        [{ name: 'wait', unit: 's', histogram: { aggregationTemporality: 2, dataPoints: points } }],
        [text('service.name', 'db')],
      ),
    );
    await endpoint.gives('metric wait | stats n=count()', 2);
    const found = await read([['__name__', '=~', 'wait_seconds_.*']]);
    const shown = found.map(({ labels, samples }) => [
      labels.__name__,
      labels.le,
      samples.map(([bits]) => doubleOf(BigInt(`0x${bits}`))),
    ]);
    expect(shown.toSorted()).toEqual([
      ['wait_seconds_bucket', '+Inf', [3, 6]],
      ['wait_seconds_bucket', '0.000001', [1, 2]],
      ['wait_seconds_bucket', '1000000000000000000000', [2, 4]],
      ['wait_seconds_count', undefined, [3, 6]],
      ['wait_seconds_sum', undefined, [2.5, 5]],
    ]);
    const upper = await read([
      ['__name__', '=', 'wait_seconds_bucket'],
      ['le', '=~', '[0-9.]+'],
    ]);
    expect(upper.map(({ labels }) => labels.le).toSorted()).toEqual(['0.000001', '1000000000000000000000']);
  });

  it('rejects what is no request', async () => {
    const { world, ada } = endpoint;
    const answer = await fetch(`${world.base}/prometheus/api/v1/read`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await ada.token(['telemetry:query'])}`,
        'content-type': 'application/x-protobuf',
      },
      body: 'nonsense',
    });
    expect([answer.status, (await answer.json()).errorType]).toEqual([400, 'bad_data']);
  });
});
