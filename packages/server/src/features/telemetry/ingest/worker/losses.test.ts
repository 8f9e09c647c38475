import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonToProtobuf } from '@fanion/telemetry';
import { expect, it } from 'vitest';
import { logsRequest, nanos, tracesRequest } from '../../../../../../telemetry/src/testing/otlp.ts';
import { temporaryDir } from '../testing/http.ts';
import { encodeEntry } from '../testing/segments.ts';
import { lossesOfBlock, lossesOfSegment } from './losses.ts';

const reason = 'because';
const loss = (project: number, items: number, signal = 'logs') => ({
  workspace: 7,
  project,
  environment: 'production',
  signal,
  reason,
  items,
});

function lines(project: number, items: number, refused: number[] = []): Buffer {
  const records = Array.from({ length: items }, () => ({
    timeUnixNano: nanos(Date.now()),
    body: { stringValue: 'x' },
  }));
  const body = jsonToProtobuf('logs', Buffer.from(JSON.stringify(logsRequest(records))));
  return encodeEntry({ body, items, signal: 'logs', project, environment: 'production', refused });
}

async function segment(...entries: Buffer[]): Promise<string> {
  const path = join(await temporaryDir(), 'logs-1-1-1.wal');
  await writeFile(path, Buffer.concat(entries));
  return path;
}

it('finds the owners of the items in a segment', async () => {
  const spans = jsonToProtobuf('traces', Buffer.from(JSON.stringify(tracesRequest([]))));
  const path = await segment(
    lines(1, 3),
    lines(2, 5, [0, 4]),
    Buffer.from('damaged'),
    encodeEntry({ body: spans, items: 2, signal: 'traces', project: 1, environment: 'production' }),
  );
  expect(await lossesOfSegment(path, reason)).toEqual([loss(1, 3), loss(2, 3), loss(1, 2, 'traces')]);
});

it('finds the owners of the items in a block of a segment', async () => {
  const unreadable = encodeEntry({ body: Buffer.from([0x0a, 0xff]), items: 4, signal: 'logs', project: 3 });
  const path = await segment(lines(1, 3), unreadable, lines(2, 5, [0, 4]), lines(1, 10));
  const of = (first: number, rows: number, table = 'logs') => lossesOfBlock(path, { table, rows }, first, reason);
  expect(await of(0, 2)).toEqual([loss(1, 2)]);
  expect(await of(2, 5)).toEqual([loss(1, 1), loss(2, 3), loss(1, 1)]);
  expect(await of(7, 9)).toEqual([loss(1, 9)]);
  expect(await of(0, 9, 'metric_series')).toEqual([]);
});
