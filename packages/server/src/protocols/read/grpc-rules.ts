import { WireReader } from '@fanion/telemetry';

/** Clients read up to 4 MiB at once unless they are told to read more. */
const mostBytes = 1024 * 1024;

/**
 * An answer as several messages of one stream: each has some of its fields, whole. Without fields, it has no message.
 * @param groupOf what the content of a field belongs to; a message has fields of one group
 */
export function messagesOf(answer: Buffer, groupOf: (field: Buffer) => string = () => ''): Buffer[] {
  const reader = new WireReader(answer);
  const messages: Buffer[] = [];
  let from = 0;
  let group: string | undefined;
  while (reader.position < answer.length) {
    const before = reader.position;
    const tag = reader.tag();
    const next = groupOf(contentOf(reader, tag, answer));
    const isSame = group === undefined || next === group;
    group = next;
    if ((isSame && reader.position - from <= mostBytes) || before === from) continue;
    messages.push(answer.subarray(from, before));
    from = before;
  }
  if (from < answer.length) messages.push(answer.subarray(from));
  return messages;
}

/** Moves past a field. @returns its bytes, without its length */
function contentOf(reader: WireReader, tag: number, answer: Buffer): Buffer {
  if ((tag & 7) !== 2) {
    const start = reader.position;
    reader.skip(tag, answer.length);
    return answer.subarray(start, reader.position);
  }
  const stop = reader.enter(answer.length);
  const content = answer.subarray(reader.position, stop);
  reader.position = stop;
  return content;
}
