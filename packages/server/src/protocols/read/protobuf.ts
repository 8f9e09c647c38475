import { type Message, WireWriter, writeMessage } from '@fanion/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBreath } from '../../platform/breath.ts';

/** Whether a client asks for protobuf, as Grafana does for traces. */
export function wantsProtobuf({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('application/protobuf');
}

export function sendProtobuf(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.code(200).type('application/protobuf').send(bytes);
}

/** An answer in protobuf. Other requests get a turn between the elements of its lists. */
export async function protobufOf(message: Message, answer: object): Promise<Buffer> {
  const breath = createBreath();
  const writer = new WireWriter();
  for (const [name, content] of Object.entries(answer)) {
    for (const element of Array.isArray(content) ? content : [content]) {
      writeMessage(writer, message, { [name]: Array.isArray(content) ? [element] : element });
      await breath();
    }
  }
  return writer.result();
}
