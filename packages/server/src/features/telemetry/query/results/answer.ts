import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Streamed } from '../../../../http/context.ts';
import type { StreamedResult } from '../service.ts';
import { toArrow } from './arrow.ts';
import { type ResultForm, resultMedia } from './media.ts';
import { toCsv, toNdjson } from './text.ts';

/**
 * How long a client may leave an answer unread before it is aborted, since it occupies one of its workspace's slots.
 */
const patienceMs = 30_000;

const encoders = { csv: toCsv, ndjson: toNdjson, arrow: toArrow };
const parameters: Readonly<Partial<Record<ResultForm, string>>> = {
  csv: '; charset=utf-8; header=present',
  ndjson: '; charset=utf-8',
};

/**
 * Sends a result as a response while its rows arrive.
 * @returns the response, and a promise of its end, rejected if it was aborted
 */
export function streamedAnswer(
  result: StreamedResult,
  form: Exclude<ResultForm, 'json'>,
): { answer: Streamed; ended: Promise<void> } {
  const { told } = result;
  let pause: NodeJS.Timeout | undefined;
  async function* watched() {
    for await (const chunk of encoders[form](result.columns, result.batches)) {
      pause = setTimeout(() => body.destroy(new Error('the client does not read')), patienceMs);
      yield chunk;
      clearTimeout(pause);
    }
  }
  const body = Readable.from(watched(), { objectMode: false });
  const ended = finished(body, { cleanup: true }).finally(() => {
    clearTimeout(pause);
    // A reader that left before the first row never started the iteration, so it is closed here.
    result.close();
  });
  const answer = new Streamed(body, {
    headers: {
      'content-type': `${resultMedia[form][0]}${parameters[form] ?? ''}`,
      'x-window': `${result.from}/${result.to}`,
      vary: 'Accept',
    },
    trailers: {
      'x-rows': () => String(told.rows),
      'x-truncated': () => String(told.truncated),
      'x-completeness': () => JSON.stringify(told.completeness ?? null),
    },
  });
  return { answer, ended };
}
