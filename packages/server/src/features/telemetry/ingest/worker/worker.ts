import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JsonError, prepare, SeriesCache, TooLarge, WireError } from '@fanion/telemetry';
import { createClickHouse } from '../../../../platform/clickhouse/index.ts';
import { messageOf } from '../../../../platform/message-of.ts';
import { KeptMetrics } from '../../../../platform/recent-points/index.ts';
import { SeriesJudge } from '../limits/series-judge.ts';
import { Inserter } from './inserter.ts';
import { Loader } from './loader.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';
import { openQuarantine } from './quarantine.ts';

/** The thread for slow work: converts segments to rows, checks large bodies before they are accepted, and keeps recent points. */
async function main(port: MessagePort, options: WorkerOptions): Promise<void> {
  const stop = new AbortController();
  const store = createClickHouse(options.clickhouse);
  const send = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const inserter = new Inserter({
    store,
    signal: stop.signal,
    onStore: (error) => send({ type: 'store', error }),
    onRepeat: () => send({ type: 'insert-repeated' }),
  });
  const series = new SeriesCache();
  const judge = new SeriesJudge(series);
  const recent = new KeptMetrics();
  const loader = new Loader(inserter, await openQuarantine(options.quarantineDir), series, recent);

  const handle = async (message: ToWorker): Promise<void> => {
    switch (message.type) {
      case 'load': {
        const segmentId = message.segment.id;
        send({ type: 'loading', segmentId });
        send({ type: 'loaded', segmentId, result: await loader.load(message.segment) });
        return;
      }
      case 'prepare':
        return prepareAndSend(message, judge, send);
      case 'recent': {
        const { id, call, args } = message;
        try {
          const result = (recent[call] as (...args: readonly unknown[]) => unknown)(...args);
          if (call === 'begin') await loader.settled();
          send({ type: 'recent', id, result });
        } catch (error) {
          // The segments that are being stored must not count as poisonous for it.
          send({ type: 'recent', id, error: messageOf(error) });
        }
        return;
      }
      case 'stop':
        stop.abort();
        await store.close();
        port.close();
    }
  };
  port.on('message', (message: ToWorker) => {
    handle(message).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      // Ends the thread with this error; the server starts another one and passes it the segments again.
      throw error;
    });
  });
}

function prepareAndSend(
  { id, source, body, limits, series }: Extract<ToWorker, { type: 'prepare' }>,
  judge: SeriesJudge,
  send: (message: FromWorker, transfer?: ArrayBuffer[]) => void,
): void {
  try {
    const scanned = prepare({ ...source, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }, limits);
    const prepared = series === undefined ? scanned : judge.judge(scanned, series);
    const bytes = new Uint8Array(prepared.body);
    const { outcome, encoding } = prepared;
    const { reasons, items, refused, isUntimed, earliest, lateness } = outcome;
    const told = { items, refused, isUntimed, earliest, lateness, reasons: [...reasons], written: prepared.written };
    send({ type: 'prepared', id, body: bytes, encoding, ...told }, [bytes.buffer]);
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof TooLarge) send({ type: 'refused', id, kind: 'too-large', message });
    else if (error instanceof WireError || error instanceof JsonError) {
      send({ type: 'refused', id, kind: 'malformed', message });
    } else send({ type: 'broken', id, message });
  }
}

if (parentPort !== null) await main(parentPort, workerData);
