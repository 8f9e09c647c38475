import { WireReader } from '@fanion/telemetry';

/** Clients read up to 4 MiB at once unless they are told to read more. */
const mostBytes = 1024 * 1024;

/** An answer as several messages of one stream: each has some of its fields, whole. Without fields, it has no message. */
export function messagesOf(answer: Buffer): Buffer[] {
  const reader = new WireReader(answer);
  const messages: Buffer[] = [];
  let from = 0;
  while (reader.position < answer.length) {
    const before = reader.position;
    reader.skip(reader.tag(), answer.length);
    if (reader.position - from <= mostBytes || before === from) continue;
    messages.push(answer.subarray(from, before));
    from = before;
  }
  if (from < answer.length) messages.push(answer.subarray(from));
  return messages;
}
