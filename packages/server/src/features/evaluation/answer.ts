import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer of an evaluation route, before it is written. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answered = (status: number) => void;

const requestIdForm = /^[\w.-]{1,100}$/;

/** As everywhere in the API: the client's own id where it has a fair form. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
}

export function write(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.destroyed) return;
  if (status === 304) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
