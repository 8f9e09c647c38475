import { Readable } from 'node:stream';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { ResultTooLarge } from '../../clickhouse/compact.ts';
import { lowerThreadPriority } from '../../thread-priority.ts';
import { type EncodeJob, type EncodeOutcome, encodeRows } from './encoded-rows.ts';

/** What the thread is sent: the start of an answer, its bytes in order, its end, or that nobody waits for it. */
export type ToEncoder =
  | { readonly id: number; readonly do: 'begin'; readonly job: EncodeJob }
  | { readonly id: number; readonly do: 'bytes'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly do: 'end' | 'leave' };

/** What the thread sends: text in order, then the outcome or the failure. */
export type FromEncoder =
  | { readonly id: number; readonly chunk: Uint8Array }
  | { readonly id: number; readonly outcome: EncodeOutcome }
  | { readonly id: number; readonly tooLarge: { readonly what: 'row' | 'result'; readonly limitBytes: number } }
  | { readonly id: number; readonly failure: string };

/** The thread that decodes and encodes large answers, some at a time in turns. */
function serve(port: MessagePort): void {
  lowerThreadPriority(5);
  const answers = new Map<number, Readable>();
  const send = (message: FromEncoder, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

  function begin(id: number, job: EncodeJob): void {
    // Each chunk stays one: in bytes, a stream would join those that wait.
    const stream = new Readable({ objectMode: true, read() {} });
    answers.set(id, stream);
    encodeRows(stream, job, (chunk) => send({ id, chunk }, [chunk.buffer]))
      .then(
        (outcome) => send({ id, outcome }),
        (error: unknown) => {
          if (error instanceof ResultTooLarge)
            send({ id, tooLarge: { what: error.what, limitBytes: error.limitBytes } });
          else send({ id, failure: String(error) });
        },
      )
      .finally(() => answers.delete(id));
  }

  port.on('message', (message: ToEncoder) => {
    const stream = answers.get(message.id);
    switch (message.do) {
      case 'begin':
        begin(message.id, message.job);
        return;
      case 'bytes':
        stream?.push(Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.byteLength));
        return;
      case 'end':
        stream?.push(null);
        return;
      case 'leave':
        stream?.destroy();
    }
  });
}

if (parentPort !== null) serve(parentPort);
