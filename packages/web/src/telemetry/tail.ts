import { ApiError, type ErrorBody, routePath, tailTelemetry } from '@fanion/contract';
import { noteRefusal } from '../api/client.ts';
import { connection } from '../api/connection.ts';

/** An event of a stream of server-sent events; `data` is its lines joined. */
export interface ServerEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/**
 * Parses server-sent events from text in pieces, by the HTML standard (9.2.6): a blank line ends an event, a line that
 * begins with a colon is a comment, and one space after a field's colon is ignored.
 */
export function createEventReader(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let rest = '';
  let event = 'message';
  let data: string[] = [];
  let id: string | undefined;
  const read = (line: string) => {
    if (line === '') {
      if (data.length > 0) onEvent({ event, data: data.join('\n'), id });
      event = 'message';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id') id = value;
  };
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) read(line);
  };
}

export interface TailRequest {
  ws: string;
  project: string;
  environment: string | undefined;
  source: 'logs' | 'spans';
  where: string | undefined;
}

export interface TailHandlers {
  onReady: () => void;
  onRow: (row: Record<string, unknown>) => void;
  /** Number of matches beyond those sent. */
  onDropped: (count: number) => void;
  /** The stream broke off; it is opened again. */
  onInterrupted: () => void;
}

const RECONNECT_MS = 2000;

/**
 * Follows a tail until aborted. Resumes an interrupted stream where it stopped. Throws `ApiError` if the server rejects
 * the request or ends the stream with an error.
 */
export async function followTail(request: TailRequest, handlers: TailHandlers, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ source: request.source, project: request.project });
  if (request.environment !== undefined) query.set('environment', request.environment);
  if (request.where !== undefined) query.set('where', request.where);
  const address = `${routePath(tailTelemetry, { ws: request.ws })}?${query}`;
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const response = await fetch(address, {
        signal,
        headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
      });
      if (!response.ok || response.body === null) throw await refusal(response);
      const read = createEventReader(({ event, data, id }) => {
        if (id !== undefined) last = id;
        const content: unknown = JSON.parse(data);
        if (event === 'ready') handlers.onReady();
        else if (event === 'row' && isRecord(content)) handlers.onRow(content);
        else if (event === 'dropped' && isRecord(content)) handlers.onDropped(Number(content.count));
        else if (event === 'error' && isRecord(content))
          throw new ApiError({ code: String(content.code), message: String(content.message), status: 503 });
      });
      for await (const piece of pieces(response.body)) read(piece);
    } catch (error) {
      if (signal.aborted) return;
      noteRefusal(error);
      if (error instanceof ApiError) throw error;
      connection.failed();
    }
    handlers.onInterrupted();
    await pause(RECONNECT_MS, signal);
  }
}

async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  if (isRecord(body) && isRecord(body.error)) {
    const { code, message, details } = body.error;
    return new ApiError({
      code: String(code),
      message: String(message),
      status: response.status,
      ...(Array.isArray(details) && { details: details as NonNullable<ErrorBody['details']> }),
    });
  }
  return new ApiError({ code: 'NET-0000', message: `status ${response.status}`, status: response.status });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
