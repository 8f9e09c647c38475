import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Envelope, routePath, tailTelemetry } from '@fanion/contract';
import type { Call } from '../commands/command.ts';
import { accessOf, connect, UsageError } from '../files/connect.ts';
import type { Terminal } from '../files/terminal.ts';
import { BrokenStream, readEvents } from './events.ts';
import { lineOf, type Row } from './line.ts';
import { selectionOf } from './selection.ts';

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** The server sends something at least every 15 s. */
const silentAfterMs = 45_000;
/** How far back a stream can begin again. */
const reachMs = 30_000;

/** `fanion tail`: prints records until it is interrupted. */
export async function follow(call: Call, terminal: Terminal): Promise<number> {
  const request = await requestOf(call, terminal.env);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const tell = (line: string) => terminal.err(`fanion tail: ${line}`);
  const stream = new Stream(request, stop.signal);
  for (;;) {
    const lost = await stream.read((event, data) => {
      if (event === 'row')
        terminal.out(call.flags.has('json') ? data : lineOf(JSON.parse(data), terminal.colors === true));
      const remark = remarkOf(event, data);
      if (remark !== undefined) tell(remark);
    }, tell);
    if (stop.signal.aborted) return 0;
    tell(`${lost.reason}; connecting again in ${lost.waitMs / 1_000} s`);
    await delay(lost.waitMs, undefined, { signal: stop.signal }).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    if (stop.signal.aborted) return 0;
  }
}

interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function requestOf({ texts, operands }: Call, env: Terminal['env']): Promise<StreamRequest> {
  const [oql, ...more] = operands;
  if (oql === undefined || more.length > 0)
    throw new UsageError("give one query, in quotes: 'logs | where severity >= error'");
  const selection = selectionOf(oql);
  const { scope } = await connect(texts, env);
  const { baseUrl, headers } = accessOf(texts, env);
  const { environment, project = env.FANION_PROJECT } = texts;
  const search = new URLSearchParams({
    ...selection,
    ...(project && { project }),
    ...(environment && { environment }),
  });
  return { url: `${baseUrl}${routePath(tailTelemetry, { ws: scope.ws })}?${search}`, headers };
}

/** The tail stream, over all its connections. */
class Stream {
  readonly #request: StreamRequest;
  readonly #stop: AbortSignal;
  #lastId: string | undefined;
  #heardAt: number | undefined;
  #failures = 0;

  constructor(request: StreamRequest, stop: AbortSignal) {
    this.#request = request;
    this.#stop = stop;
  }

  /**
   * Connects once, and reads until the connection ends.
   *
   * @throws ApiError if another attempt would fail in the same way
   */
  async read(
    onEvent: (event: string, data: string) => void,
    tell: (line: string) => void,
  ): Promise<{ reason: string; waitMs: number }> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silentAfterMs);
    try {
      const body = await this.#open(AbortSignal.any([this.#stop, silence.signal]));
      const downSince = this.#heardAt;
      const heard = () => {
        this.#heardAt = performance.now();
        timer.refresh();
      };
      for await (const { event, id, data } of readEvents(body, heard)) {
        this.#lastId = id ?? this.#lastId;
        if (event !== 'ready') onEvent(event, data);
        else if (downSince !== undefined) tell(reconnected(performance.now() - downSince));
        if (event === 'ready') this.#failures = 0;
      }
      return this.#lost('the server ended the stream');
    } catch (error) {
      if (this.#stop.aborted) return this.#lost('stopped');
      if (silence.signal.aborted) return this.#lost(`nothing arrived for ${silentAfterMs / 1_000} s`);
      if (error instanceof ApiError && isPassing(error, this.#heardAt !== undefined))
        return this.#lost(error.message, error.retryAfterSeconds);
      if (error instanceof BrokenStream) return this.#lost(error.message);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #lost(reason: string, retryAfterSeconds?: number) {
    const backOffMs = firstWaitMs * 2 ** this.#failures++;
    return { reason, waitMs: Math.min(Math.max(backOffMs, (retryAfterSeconds ?? 0) * 1_000), longestWaitMs) };
  }

  async #open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { headers } = this.#request;
    // Nothing was shown before, so nothing is shown twice.
    const isFromReach = this.#heardAt !== undefined && this.#lastId === undefined;
    const url = `${this.#request.url}${isFromReach ? `&from=now-${reachMs / 1_000}s` : ''}`;
    const resume: Record<string, string> = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const response = await fetch(url, { headers: { ...headers, ...resume }, signal }).catch((cause: unknown) => {
      if (signal.aborted) throw cause;
      throw new ApiError({ code: 'NET-0000', message: 'the server cannot be reached', status: 0 });
    });
    if (response.ok && response.body !== null) return response.body;
    const { status } = response;
    const envelope = (await response.json().catch(() => null)) as Envelope<unknown> | null;
    const error = envelope?.error ?? { code: 'NET-0001', message: `the server answered ${status}`, status };
    throw new ApiError(error, Number(response.headers.get('retry-after')) || undefined);
  }
}

/** Whether a later attempt can succeed. The first connection only waits for a busy server. */
function isPassing({ status }: ApiError, wasConnected: boolean): boolean {
  return status === 429 || (wasConnected && (status === 0 || status >= 500));
}

function reconnected(downMs: number): string {
  const missing = Math.ceil((downMs - reachMs) / 1_000);
  return missing > 0 ? `connected again; the first ${missing} s of the gap are missing` : 'connected again';
}

/** What standard error reports of an event; undefined: nothing. */
function remarkOf(event: string, data: string): string | undefined {
  const { count, from, to, message, code }: Row = event === 'dropped' || event === 'error' ? JSON.parse(data) : {};
  if (event === 'dropped')
    return `the server left out ${count} records between ${from} and ${to}: narrow the condition`;
  return event === 'error' ? `${message} (${code})` : undefined;
}
