import type { Message } from '@fanion/telemetry';
import type { FastifyReply } from 'fastify';
import { protobufOf, sendProtobuf, wantsProtobuf } from '../../read/protobuf.ts';
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

/** An answer in protobuf, for clients that ask for it: those of gRPC (`grpc.ts`). */
export interface Protobuf<Answer extends object> {
  readonly message: Message;
  /** The message, made of the answer; absent: it is the answer. */
  readonly body?: (answer: Answer) => object;
  /** The JSON, where Jaeger's two APIs differ; absent: it is the answer. */
  readonly json?: (answer: Answer) => object;
}

/** A handler whose answer is JSON in a form of Jaeger. */
export function answering<Answer extends object>(
  answer: (asked: Asked) => Promise<Answer>,
  protobuf?: Protobuf<Answer>,
): (context: ForeignRequest) => Promise<undefined> {
  return async (context) => {
    const { query, params, body, request, reply } = context;
    const found = await answer({
      ...{ place: placeOf(context), parameters: parametersOf(query), path: params, body, reply },
      shown: shownRequest(request.url),
    });
    if (protobuf !== undefined && wantsProtobuf(request))
      sendProtobuf(reply, await protobufOf(protobuf.message, protobuf.body?.(found) ?? found));
    else
      reply
        .code(200)
        .type('application/json')
        .send(JSON.stringify(protobuf?.json?.(found) ?? found));
    return undefined;
  };
}
