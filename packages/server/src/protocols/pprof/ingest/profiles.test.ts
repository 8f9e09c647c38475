import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { WireWriter } from '@fanion/telemetry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { stored } from '../../../testing/test-client.ts';
import { useIngestEndpoint } from '../../testing/ingest-endpoint.ts';

const endpoint = useIngestEndpoint('/v1development/profiles');
const { ask } = endpoint;

const now = Date.now() - 60_000;
const trace = '0af7651916cd43dd8448eb211c80319c';
const json = { 'content-type': 'application/json' };

/** `main` → `serve` → `parse`, and `main` → an address in a library. */
const dictionary = {
  stringTable: ['', 'cpu', 'nanoseconds', 'main', 'serve', 'parse', 'main.go', 'libc.so', 'thread.name', 'worker', 'q'],
  mappingTable: [{}, { filenameStrindex: 7 }],
  functionTable: [{}, ...[3, 4, 5].map((nameStrindex) => ({ nameStrindex, filenameStrindex: 6 }))],
  locationTable: [
    {},
    { lines: [{ functionIndex: 1, line: 10 }] },
    // `parse` was inlined into `serve`.
    {
      lines: [
        { functionIndex: 3, line: 30 },
        { functionIndex: 2, line: 20 },
      ],
    },
    { mappingIndex: 1, address: 0xabcd },
  ],
  stackTable: [{}, { locationIndices: [2, 1] }, { locationIndices: [3, 1] }],
  linkTable: [{}, { traceId: trace, spanId: 'b7ad6b7169203331' }],
  attributeTable: [
    {},
    { keyStrindex: 8, value: { stringValue: 'main thread' } },
    { keyStrindex: 8, value: { stringValueStrindex: 9 } },
  ],
};
const cpu = { typeStrindex: 1, unitStrindex: 2 };

function request(service: string, profile: object, resource: object[] = []): object {
  const attributes = [text('service.name', service), ...resource];
  const profiles = [{ sampleType: cpu, timeUnixNano: nanos(now), durationNano: '10000000000', ...profile }];
  return {
    resourceProfiles: [{ resource: { attributes }, scopeProfiles: [{ profiles }] }],
    dictionary,
  };
}

/** Sends to the OTLP endpoint, or to `/pprof` below it. */
const send = (path: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  endpoint.send(body, headers, path);
const arrived = (service: string, sum: number) =>
  endpoint.gives(`profiles cpu | where service.name == "${service}" | stats s=sum(value)`, sum);

describe('OTLP profiles', () => {
  it('are stored as stacks and samples, with their spans and attributes', async () => {
    const samples = [
      { stackIndex: 1, values: ['30'], linkIndex: 1, attributeIndices: [1] },
      { stackIndex: 2, values: ['12'], attributeIndices: [2] },
    ];
    const answer = await send('', JSON.stringify(request('otlp', { samples })), json);
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
    await arrived('otlp', 42);
    expect(
      await ask(
        'profiles cpu | where service.name == "otlp" | sort value | fields value, frames, trace_id, attr.thread.name',
      ),
    ).toEqual([
      [12, ['main', '0xabcd'], null, 'worker'],
      [30, ['main', 'serve', 'parse'], trace, 'main thread'],
    ]);
    const { ada } = endpoint;
    const status = await ada.get(`${ada.project}/telemetry-status`);
    const profiles = status.data.signals.find(({ signal }: { signal: string }) => signal === 'profiles');
    expect(profiles).toMatchObject({ arrived: true, services: ['otlp'], items: 2 });
    expect((await ada.get('/api/v1/meta')).data.capabilities.signals).toContain('profiles');
  });

  it('with timestamps count each of them', async () => {
    const times = [1, 2, 3].map((second) => nanos(now + second * 1000));
    const samples = [
      { stackIndex: 1, timestampsUnixNano: times },
      { stackIndex: 2, timestampsUnixNano: times.slice(0, 2), values: ['5', '6'] },
    ];
    expect((await send('', JSON.stringify(request('times', { samples })), json)).status).toBe(200);
    await arrived('times', 3 + 11);
    expect(await ask('profiles cpu | where service.name == "times" | stats n=count()')).toEqual([[5]]);
  });

  it('of a long duration count at their end', async () => {
    const life = { timeUnixNano: nanos(now - 60 * 86_400_000), durationNano: String(60 * 86_400_000_000_000) };
    const samples = [{ stackIndex: 1, values: ['7'] }];
    expect((await send('', JSON.stringify(request('heap', { samples, ...life })), json)).status).toBe(200);
    await arrived('heap', 7);
  });

  it('may reference resource texts in the dictionary', async () => {
    const resource = [{ keyStrindex: 8, value: { stringValueStrindex: 10 } }];
    const samples = [{ stackIndex: 1, values: ['9'] }];
    expect((await send('', JSON.stringify(request('referring', { samples }, resource)), json)).status).toBe(200);
    await arrived('referring', 9);
    const rows = await ask('profiles cpu | where service.name == "referring" | fields resource.thread.name');
    expect(rows).toEqual([['q']]);
  });

  it('are also read in the layout of release 1.9', async () => {
    const writer = new WireWriter();
    const message = (tag: number, write: () => void) => {
      writer.varint(tag);
      writer.nested(write);
    };
    const number = (tag: number, value: number) => {
      writer.varint(tag);
      writer.varint(value);
    };
    const string = (tag: number, value: string) => {
      writer.varint(tag);
      writer.string(value);
    };
    message(10, () => {
      message(10, () =>
        message(10, () => {
          string(10, 'service.name');
          message(18, () => string(10, 'old'));
        }),
      );
      message(18, () =>
        message(18, () => {
          message(10, () => {
            number(8, 1);
            number(16, 2);
          });
          message(18, () => {
            number(8, 1);
            message(18, () => writer.varint(250));
            message(26, () => writer.varint(1));
            number(32, 1);
          });
          writer.varint(25);
          writer.fixed64(BigInt(now) * 1_000_000n);
        }),
      );
    });
    message(18, () => {
      message(18, () => {});
      message(18, () => message(26, () => number(8, 1)));
      message(26, () => {});
      message(26, () => number(8, 3));
      message(34, () => {});
      message(34, () => {
        writer.varint(10);
        writer.raw(Buffer.from(trace, 'hex'));
      });
      for (const name of ['', 'cpu', 'nanoseconds', 'main', 'k', 'v']) string(42, name);
      message(50, () => {});
      message(50, () => {
        number(8, 4);
        message(18, () => string(10, 'v'));
      });
      message(58, () => {});
      message(58, () => message(10, () => writer.varint(1)));
    });
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
    expect((await send('', gzipSync(writer.result()), headers)).status).toBe(200);
    await arrived('old', 250);
    expect(await ask('profiles cpu | where service.name == "old" | fields leaf, trace_id, attr.k')).toEqual([
      ['main', trace, 'v'],
    ]);
  });

  it.each([
    ['a stack that is not there', { samples: [{ stackIndex: 9, values: ['1'] }] }, 'stack'],
    ['a link that is not there', { samples: [{ stackIndex: 1, linkIndex: 9, values: ['1'] }] }, 'link'],
    ['an attribute that is not there', { samples: [{ attributeIndices: [9], values: ['1'] }] }, 'attribute'],
    ['no type', { sampleType: {}, samples: [] }, 'sample_type'],
    ['an old time', { timeUnixNano: '1000000000', samples: [{ values: ['1'] }] }, 'older than the retention'],
    ['more values than times', { samples: [{ values: ['1', '2'], timestampsUnixNano: [nanos(now)] }] }, 'numbers'],
  ])('with %s are rejected and counted', async (_, profile, reason) => {
    const answer = await send('', JSON.stringify(request('refused', profile)), json);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { partialSuccess: { rejectedProfiles: '1', errorMessage: expect.stringContaining(reason) } },
    ]);
  });
});

describe('pprof', () => {
  /** A file of Go's profiler with the current time: when a field occurs twice, the last one counts. */
  function goFile(name: string): Buffer {
    const file = gunzipSync(readFileSync(new URL(`../../../../../telemetry/src/testing/${name}`, import.meta.url)));
    const time = new WireWriter();
    time.varint(72);
    time.bigVarint(BigInt(now) * 1_000_000n);
    return Buffer.concat([file, time.result()]);
  }

  it('of Go is stored with its labels and spans', async () => {
    const answer = await send(
      '/pprof?service=shop&environment=development&region=eu',
      gzipSync(goFile('go-cpu.pb.gz')),
    );
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
    await arrived('shop', 680_000_000);
    const [[busiest]] = (await ask(
      'profiles cpu | where service.name == "shop" and attr.endpoint == "/cart" | stats s=sum(value) by leaf | sort -s | limit 1',
    )) as [[string]];
    expect(busiest).toContain('sha256');
    const spans =
      'profiles cpu | where service.name == "shop" and trace_id != null | stats s=sum(value) by trace_id, span_id';
    expect(await ask(spans)).toEqual([[trace, 'b7ad6b7169203331', expect.any(Number)]]);
    const places =
      'profiles cpu | where service.name == "shop" | stats n=count() by environment, resource.region, root';
    expect((await ask(places)).map((row) => row.slice(0, 2))).toContainEqual(['development', 'eu']);
    const flame = await endpoint.ada.get(
      `${endpoint.ada.workspace}/flamegraph?profile_type=cpu:nanoseconds&service=shop&from=now-1h&to=now`,
    );
    expect(flame.data.total).toBe(680_000_000);
    expect(flame.data.nodes.some(({ name }: { name: string }) => name === 'main.hashes')).toBe(true);
  });

  it('with several types becomes several profiles', async () => {
    expect((await send('/pprof?service=memory', goFile('go-heap.pb.gz'))).status).toBe(200);
    await stored(endpoint.world.base);
    for (const type of ['inuse_space', 'alloc_objects']) {
      const [row] = await ask(`profiles ${type} | where service.name == "memory" | stats n=count()`);
      expect(Number(row?.[0]), type).toBeGreaterThan(0);
    }
  });

  it('without a time ends when it arrives', async () => {
    const duration = new WireWriter();
    duration.bigVarint(7_200_000_000_000n);
    const file = Buffer.concat([
      Buffer.from('\x32\0\x32\x03cpu\x32\x0bnanoseconds'),
      // A sample type of the texts 1 and 2, a sample of 5 without a stack, and two hours.
      Buffer.from([10, 4, 8, 1, 16, 2, 18, 2, 16, 5, 80]),
      duration.result(),
    ]);
    const before = Date.now();
    expect((await send('/pprof?service=timeless', file)).status).toBe(200);
    await arrived('timeless', 5);
    const [row] = await ask('profiles cpu | where service.name == "timeless" | fields time');
    expect(Date.parse(String(row?.[0]))).toBeGreaterThanOrEqual(before);
    expect(Date.parse(String(row?.[0]))).toBeLessThanOrEqual(Date.now());
  });

  const words = (...all: number[]) => Buffer.concat(all.map((word) => Buffer.from(Uint32Array.of(word).buffer)));
  it.each([
    ['heap', Buffer.from('heap profile: 1: 2 [3: 4] @ heapprofile\n1: 2 [3: 4] @ 0x1\n')],
    ['goroutines', Buffer.from('goroutine profile: total 5\n5 @ 0x1 0x2\n')],
    ['contention', Buffer.from('--- contention:\ncycles/second=1\n')],
    ['threads', Buffer.from('--- threadz 1 ---\n')],
    ['CPU in words of 4 bytes', words(0, 3, 0, 10_000, 0, 1, 1, 0x1234)],
    ['CPU in words of 8 bytes', words(0, 0, 3, 0, 0, 0, 10_000, 0, 0, 0)],
    ['CPU of a big-endian machine', words(0, 3, 0, 10_000, 0).swap32()],
  ])('in a legacy format (%s) is rejected with the command that converts it', async (_, body) => {
    for (const sent of [body, gzipSync(body)]) {
      const answer = await send('/pprof?service=legacy', sent);
      const message = expect.stringContaining('go tool pprof -proto');
      expect([answer.status, await answer.json()]).toEqual([400, { code: 3, message }]);
    }
  });

  it.each([
    ['something else', Buffer.from('hello, I am no profile')],
    ['broken gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3])],
    // A sample of location 9.
    ['a location that is not there', Buffer.from([18, 2, 8, 9])],
    ['a sample of more values than types', Buffer.from([18, 2, 16, 9])],
  ])('that is %s is rejected', async (_, body) => {
    const answer = await send('/pprof?service=broken', body);
    expect([answer.status, await answer.json()]).toEqual([400, { code: 3, message: expect.any(String) }]);
  });

  it('needs a token', async () => {
    expect((await send('/pprof', '', { authorization: 'Bearer nobody' })).status).toBe(401);
  });

  it('never causes an internal error, for any input', async () => {
    const file = goFile('go-cpu.pb.gz');
    const change = fc.record({ at: fc.nat(file.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
          fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
            const broken = Buffer.from(file);
            for (const { at, to } of changes) broken[at] = to;
            return broken;
          }),
        ),
        async (body) => {
          const answer = await send('/pprof?service=fuzz', body);
          expect([200, 400, 413]).toContain(answer.status);
          await answer.text();
        },
      ),
      { numRuns: 300 },
    );
    await endpoint.gives('profiles cpu | where service.name == "otlp" | stats n=count()', 2);
  });
});
