import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import {
  compressionOf,
  connectError,
  endOfStream,
  formOf,
  messagePrefix,
  onlyMessage,
  requireVersion,
  timeoutOf,
} from './connect-rules.ts';

describe('formOf', () => {
  it.each([
    ['application/json', 'unary', 'json'],
    ['Application/JSON; charset=UTF-8', 'unary', 'json'],
    ['application/json;charset="utf-8"', 'unary', 'json'],
    ['application/proto', 'unary', 'proto'],
    ['application/connect+json', 'stream', 'json'],
    ['application/connect+proto', 'stream', 'proto'],
    ['application/json; charset=latin1', 'unary', undefined],
    ['application/proto; charset=utf-8', 'unary', undefined],
    ['application/connect+json', 'unary', undefined],
    ['application/json', 'stream', undefined],
    ['application/grpc+proto', 'unary', undefined],
    ['text/plain', 'unary', undefined],
    ['', 'unary', undefined],
    [undefined, 'stream', undefined],
  ] as const)('reads %s of a %s method as %s', (type, kind, form) => {
    expect(formOf(type, kind)).toBe(form);
  });
});

describe('headers', () => {
  const refusal = (code: status) => expect.objectContaining({ code });

  it('accept version 1, or none', () => {
    requireVersion(undefined);
    requireVersion('1');
    for (const version of ['2', '', ['1', '1']])
      expect(() => requireVersion(version)).toThrow(refusal(status.INVALID_ARGUMENT));
  });

  it('limit a timeout to what timers can wait', () => {
    expect(timeoutOf(undefined)).toBeUndefined();
    expect(timeoutOf('250')).toBe(250);
    expect(timeoutOf('9999999999')).toBe(2 ** 31 - 1);
    for (const timeout of ['', '-1', '1.5', '1s', '12345678901', ['1', '2']])
      expect(() => timeoutOf(timeout)).toThrow(refusal(status.INVALID_ARGUMENT));
  });

  it('accept gzip, and reject other compressions', () => {
    expect(compressionOf(undefined)).toBe('identity');
    expect(compressionOf('identity')).toBe('identity');
    expect(compressionOf('gzip')).toBe('gzip');
    expect(() => compressionOf('br')).toThrow(refusal(status.UNIMPLEMENTED));
  });
});

describe('onlyMessage', () => {
  const enveloped = (text: string, flags = 0) => Buffer.concat([messagePrefix(text.length, flags), Buffer.from(text)]);

  it('returns the message of a request', () => {
    expect(onlyMessage(enveloped('{}'), 'identity')).toEqual({ message: Buffer.from('{}'), isCompressed: false });
    expect(onlyMessage(enveloped(''), 'identity').message).toHaveLength(0);
    expect(onlyMessage(enveloped('x', 1), 'gzip')).toEqual({ message: Buffer.from('x'), isCompressed: true });
    expect(onlyMessage(enveloped('{}'), 'gzip').isCompressed).toBe(false);
  });

  it.each([
    ['no message', Buffer.alloc(0), status.UNIMPLEMENTED],
    ['two messages', Buffer.concat([enveloped('{}'), enveloped('{}')]), status.UNIMPLEMENTED],
    ['a part of a prefix', Buffer.from([0, 0, 0]), status.INVALID_ARGUMENT],
    ['a part of a message', enveloped('{}').subarray(0, 6), status.INVALID_ARGUMENT],
    ['a length of 4 GiB', Buffer.from([0, 255, 255, 255, 255, 1]), status.INVALID_ARGUMENT],
    ['the end of a stream', enveloped('{}', 2), status.INVALID_ARGUMENT],
    ['unknown flags', enveloped('{}', 128), status.INVALID_ARGUMENT],
    ['the flag of a compression that no header names', enveloped('{}', 1), status.INTERNAL],
  ])('rejects a request with %s', (_name, body, code) => {
    expect(() => onlyMessage(body, 'identity')).toThrow(expect.objectContaining({ code }));
  });
});

it('ends a stream with JSON behind the flag of the end', () => {
  const { error } = connectError({ code: status.RESOURCE_EXHAUSTED, details: 'too many event streams' });
  const end = endOfStream(error);
  expect([end[0], end.readUInt32BE(1)]).toEqual([2, end.length - 5]);
  expect(JSON.parse(end.toString('utf8', 5))).toEqual({
    error: { code: 'resource_exhausted', message: 'too many event streams' },
  });
});

it.each([
  [status.CANCELLED, 'canceled', 499],
  [status.NOT_FOUND, 'not_found', 404],
  [status.RESOURCE_EXHAUSTED, 'resource_exhausted', 429],
  [status.UNIMPLEMENTED, 'unimplemented', 501],
  [status.DATA_LOSS, 'data_loss', 500],
  [status.OK, 'unknown', 500],
])('names the code %i of gRPC %s, with HTTP status %i', (code, name, httpStatus) => {
  expect(connectError({ code, details: '' })).toEqual({ httpStatus, error: { code: name, message: '' } });
});
