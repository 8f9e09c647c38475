import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser, type ServerSentEvent } from './sse.ts';

function parse(...pieces: string[]): ServerSentEvent[] {
  const parser = createEventParser(10_000);
  return pieces.flatMap((piece) => parser.push(piece));
}

describe('event stream parser', () => {
  it.each<[string, string, ServerSentEvent[]]>([
    ['type and data', 'event: put\nid: 3\ndata: {}\n\n', [{ type: 'put', data: '{}' }]],
    ['an event without a type', 'data: x\n\n', [{ type: 'message', data: 'x' }]],
    ['several lines of data', 'data: a\ndata:b\ndata\n\n', [{ type: 'message', data: 'a\nb\n' }]],
    ['one space after the colon is not data, two are one', 'data:  x\n\n', [{ type: 'message', data: ' x' }]],
    ['comments and unknown fields', ': heartbeat\nfoo: bar\ndata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['ignores an event without data', 'event: put\n\ndata: x\n\n', [{ type: 'message', data: 'x' }]],
    [
      'CR and CRLF',
      'event: a\rdata: 1\r\rdata: 2\r\n\r\n',
      [
        { type: 'a', data: '1' },
        { type: 'message', data: '2' },
      ],
    ],
    ['a byte order mark', '\uFEFFdata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['an unfinished event', 'data: x\n', []],
  ])('%s', (_, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  it('parses a stream that is split anywhere', () => {
    const line = fc.constantFrom('data: a', 'data:b', 'event: put', ': c', 'retry: 5', 'id: 7', 'data', '');
    const end = fc.constantFrom('\n', '\r', '\r\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(200)), (lines, cuts) => {
        // A split can delay only a CR at the end, which may be half of a CRLF.
        const text = `${lines.flat().join('')}:\n`;
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((to, i) => text.slice(at[i], to));
        expect(parse(...pieces)).toEqual(parse(text));
      }),
    );
  });

  it('reports the reconnection time, and ignores an invalid one', () => {
    const parser = createEventParser(100);
    expect(parser.retryMs).toBeUndefined();
    parser.push('retry: 1500\nretry: soon\n');
    expect(parser.retryMs).toBe(1500);
  });

  it('rejects an event that is too long, in one line or in many', () => {
    expect(() => parse('data: ', 'x'.repeat(10_001))).toThrow(RangeError);
    expect(() => parse('data: x\n'.repeat(6_000))).toThrow(RangeError);
    expect(parse('data: x\n\n'.repeat(6_000))).toHaveLength(6_000);
  });
});
