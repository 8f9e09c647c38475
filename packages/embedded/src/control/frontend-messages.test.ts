import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  closeStatementMessage,
  messageReader,
  parsedStatementName,
  queryMessage,
  SYNC_MESSAGE,
  withOwnStatementName,
} from './frontend-messages.ts';

const message = (type: string, ...fields: (string | Buffer)[]) => {
  const body = Buffer.concat(fields.map((field) => (typeof field === 'string' ? Buffer.from(`${field}\0`) : field)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return { type, bytes: Buffer.concat([head, body]) };
};

test('returns the same messages however the bytes arrive', () => {
  const startup = Buffer.concat([Buffer.from([0, 0, 0, 13, 0, 3, 0, 0]), Buffer.from('user\0')]);
  const queries = fc.array(fc.string({ maxLength: 300 }), { maxLength: 10 });
  fc.assert(
    fc.property(queries, fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }), (texts, cuts) => {
      const sent = [startup, ...texts.map(queryMessage), SYNC_MESSAGE];
      const stream = Buffer.concat(sent);
      const reader = messageReader();
      const received: Buffer[] = [];
      for (let at = 0, n = 0; at < stream.length; n++) {
        const size = cuts[n % cuts.length] ?? 1;
        let messages = reader.push(stream.subarray(at, at + size));
        while (messages.length > 0) {
          received.push(...messages.map(({ bytes }) => Buffer.from(bytes)));
          reader.opened();
          messages = reader.push(Buffer.alloc(0));
        }
        at += size;
      }
      expect(received).toEqual(sent);
    }),
  );
});

test('an impossible length is an error', () => {
  const reader = messageReader();
  reader.opened();
  expect(() => reader.push(Buffer.from([0x51, 0x7f, 0xff, 0xff, 0xff]))).toThrow();
  const other = messageReader();
  other.opened();
  expect(() => other.push(Buffer.from([0x51, 0, 0, 0, 1]))).toThrow();
});

test('prefixes the names of prepared statements by client, and changes nothing else', () => {
  const prefixed = (type: string, ...fields: (string | Buffer)[]) =>
    withOwnStatementName(message(type, ...fields), 'c1_');
  expect(prefixed('P', 's', 'SELECT 1')).toEqual(message('P', 'c1_s', 'SELECT 1'));
  expect(prefixed('P', '', 'SELECT 1')).toEqual(message('P', '', 'SELECT 1'));
  expect(prefixed('B', 'portal', 's', 'rest')).toEqual(message('B', 'portal', 'c1_s', 'rest'));
  expect(prefixed('B', '', '', 'rest')).toEqual(message('B', '', '', 'rest'));
  expect(prefixed('D', 'Ss')).toEqual(message('D', 'Sc1_s'));
  expect(prefixed('D', 'Pportal')).toEqual(message('D', 'Pportal'));
  expect(prefixed('C', 'Ss').bytes).toEqual(closeStatementMessage('c1_s'));
  expect(prefixed('Q', 'SELECT 1')).toEqual(message('Q', 'SELECT 1'));
  expect(parsedStatementName(message('P', 's', 'SELECT 1'))).toBe('s');
});
