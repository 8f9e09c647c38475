import { createDeadline } from './deadline.ts';
import { ServerFailure } from './failure.ts';
import { get, refusal } from './http.ts';
import type { Settings } from './options.ts';
import { createEventParser, type ServerSentEvent } from './sse.ts';

/** Time until the response headers. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Three heartbeats. A connection that is silent for longer is dead, or a proxy holds it back. */
const SILENCE_TIMEOUT_MS = 45_000;
/** The server sends `refetch` above 512 KiB; a much larger event is not from it. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export interface StreamRequest {
  readonly settings: Settings;
  /** Version of the current ruleset: the server continues after it. */
  readonly version: number;
  readonly signal: AbortSignal;
  /**
   * Called whenever data has arrived and its events are processed, with the requested reconnection time in
   * milliseconds, if any.
   */
  readonly onAlive: (retryMs: number | undefined) => void;
  /** Awaited one after another. */
  readonly onEvent: (event: ServerSentEvent) => Promise<void> | void;
}

/**
 * Follows GET `/api/v1/sdk/flags/stream` until the server ends it.
 *
 * @throws ServerFailure, also when the connection breaks; and what `onEvent` throws
 */
export async function followStream({ settings, version, signal, onAlive, onEvent }: StreamRequest): Promise<void> {
  const silence = createDeadline(signal);
  try {
    silence.within(CONNECT_TIMEOUT_MS, `no answer within ${CONNECT_TIMEOUT_MS / 1000} s`);
    const headers = {
      accept: 'text/event-stream',
      // Compressing proxies delay events.
      'accept-encoding': 'identity',
      'cache-control': 'no-cache',
      'last-event-id': String(version),
    };
    const response = await get(settings, '/api/v1/sdk/flags/stream', headers, silence.signal);
    if (response.statusCode !== 200) throw await refusal(response);
    if (!response.headers['content-type']?.startsWith('text/event-stream')) {
      throw new ServerFailure('unavailable', 'what the server answered is no event stream');
    }
    const parser = createEventParser(MAX_EVENT_LENGTH);
    const silent = `the stream was silent for ${SILENCE_TIMEOUT_MS / 1000} s`;
    silence.within(SILENCE_TIMEOUT_MS, silent);
    for await (const text of response.setEncoding('utf8')) {
      // Processing an event may take any time.
      silence.pause();
      for (const event of parser.push(text)) await onEvent(event);
      // After the events, so that the confirmed state is current.
      onAlive(parser.retryMs);
      silence.within(SILENCE_TIMEOUT_MS, silent);
    }
  } catch (error) {
    throw silence.why(error);
  } finally {
    silence.end();
  }
}
