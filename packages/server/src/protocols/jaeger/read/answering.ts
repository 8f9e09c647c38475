import type { FastifyReply } from 'fastify';
import { type ForeignRequest, type Parameters, type Place, parametersOf, placeOf } from '../../read/request.ts';

/** A request of a client of Jaeger. */
export interface Asked {
  readonly place: Place;
  readonly parameters: Parameters;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The request, for the history. */
  readonly shown: string;
  readonly reply: FastifyReply;
}

/** Without the place: the history has it, and lists a text to those who may not see the place. */
function shownRequest(address: string): string {
  const [path = '', query] = address.split('?', 2);
  const asked = new URLSearchParams(query);
  for (const name of ['workspace', 'project', 'environment']) asked.delete(name);
  return `GET ${path}?${asked}`;
}

/** A handler whose answer is JSON in a form of Jaeger. */
export function answering(answer: (asked: Asked) => Promise<unknown>): (context: ForeignRequest) => Promise<undefined> {
  return async (context) => {
    const { query, params, body, request, reply } = context;
    const found = await answer({
      ...{ place: placeOf(context), parameters: parametersOf(query), path: params, body, reply },
      shown: shownRequest(request.url),
    });
    reply.code(200).type('application/json').send(JSON.stringify(found));
    return undefined;
  };
}
