import type { ServerResponse } from 'node:http';
import { beginStream, eventFrame, heartbeat, writeOrCut } from '../../../http/sse.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import { formatNs } from '../../../platform/time-window.ts';
import type { TailSink } from './sink.ts';
import type { TailRow } from './store.ts';

/** The events of a tail on a response. */
export function sseSink(
  response: ServerResponse,
  headers: Readonly<Record<string, string | string[] | number>>,
  columns: readonly string[],
): TailSink<TailRow> {
  const send = (event: string, id: string | undefined, data: object) =>
    writeOrCut(response, eventFrame(event, id, JSON.stringify(data)));
  return {
    whenGone: (then) => whenClosed(response, then),
    isGone: () => response.destroyed,
    begin(startNs) {
      beginStream(response, headers);
      send('ready', undefined, { from: formatNs(startNs), columns });
    },
    rows(rows) {
      let wrote = false;
      for (const { row, timeNs } of rows) {
        if (!send('row', String(timeNs), row)) break;
        wrote = true;
      }
      return wrote;
    },
    dropped({ fromNs, toNs }, count) {
      send('dropped', undefined, { count, from: formatNs(fromNs), to: formatNs(toNs) });
    },
    heartbeat: () => writeOrCut(response, heartbeat),
    end(failure) {
      if (failure !== undefined) send('error', undefined, { code: failure.code, message: failure.message });
      response.end();
    },
    stop: () => response.end(),
  };
}
