import { describe, expect, it } from 'vitest';
import { type Line, labelsOf } from './line-rules.ts';
import { parseLogql } from './logql/parse.ts';
import { pipelineOf } from './pipeline-rules.ts';

/** The labels and text of a line after a pipeline; undefined: it is left out. */
function after(text: string, pipeline: string): { labels: Record<string, string>; text: string } | undefined {
  const query = parseLogql(`{app="x"} ${pipeline}`);
  if (query.kind !== 'lines') throw new Error('lines expected');
  const line: Line = { timeNs: 0n, text, stream: new Map([['app', 'x']]), metadata: new Map(), parsed: new Map() };
  if (!pipelineOf(query.stages)(line)) return undefined;
  const { app: _, ...labels } = Object.fromEntries(labelsOf(line));
  return { labels, text: line.text };
}
const labels = (text: string, pipeline: string) => after(text, pipeline)?.labels;

describe('a pipeline of LogQL', () => {
  it('reads JSON: nested keys are joined, lists are left out, numbers keep their digits', () => {
    const text = '{"a":{"b.c":1.10,"d":[1]},"n":12345678901234567890,"app":"y","t":true}';
    expect(labels(text, '| json')).toEqual({ a_b_c: '1.10', n: '12345678901234567890', app_extracted: 'y', t: 'true' });
    expect(labels('{"a":[{"b c":7.0}],"l":[1.50]}', '| json x="a[0][\\"b c\\"]", l')).toEqual({
      x: '7.0',
      l: '[1.50]',
    });
    expect(labels('no json', '| json')).toMatchObject({ __error__: 'JSONParserErr' });
    expect(labels('no json', '| json | __error__=""')).toBeUndefined();
  });

  it('reads logfmt, patterns, regexes and packed lines', () => {
    expect(labels('a=1 msg="two \\"words\\"" b= flag', '| logfmt')).toEqual({ a: '1', msg: 'two "words"' });
    expect(labels('a=1 b=2', '| logfmt x="b"')).toEqual({ x: '2' });
    expect(labels('1.2.3.4 - "GET /x" 200', '| pattern `<ip> - "<method> <_>" <status>`')).toEqual({
      ...{ ip: '1.2.3.4', method: 'GET', status: '200' },
    });
    expect(labels('took 5ms', '| regexp `took (?P<took>\\w+)`')).toEqual({ took: '5ms' });
    expect(after('{"_entry":"line","pod":"p"}', '| unpack')).toEqual({ labels: { pod: 'p' }, text: 'line' });
  });

  it.each([
    ['n > 4', true],
    ['n > 5', false],
    ['d >= 1m30s', true],
    ['d < 90s', false],
    ['s > 1KB', true],
    ['s > 1KiB', false],
    ['missing > 0', false],
    ['missing = ""', true],
    ['n = "5" and (d > 1h or s = "1024b")', true],
  ])('filters by %s', (filter, isKept) => {
    expect(labels('n=5 d=90s s=1024b', `| logfmt | ${filter}`) !== undefined).toBe(isKept);
  });

  it('marks a line whose label is no number, and keeps it', () => {
    expect(labels('n=five', '| logfmt | n > 4')).toMatchObject({ __error__: 'LabelFilterErr' });
  });

  it.each([
    // As in Loki: a template that begins with text may match later in the line, and no capture is empty.
    ['GET <_> 200', 'GET /x 200', true],
    ['GET <_> 200', 'POST /x 200', false],
    ['GET <_> 200', 'a GET /x 200', true],
    ['GET <_> 200', 'GET /x 200 ', false],
    ['GET <_> 200', 'GET  200', false],
    ['<_>bar<_>', ' bar ', true],
    ['<_> bar <_>', ' bar ', false],
    ['<_> baz', 'a baz baz', false],
    ['<_>', 'anything', true],
    ['<_>', '', false],
    ['', '', true],
  ])('filters by the template %j: %j is kept: %j', (template, text, isKept) => {
    expect(after(text, `|> ${JSON.stringify(template)}`) !== undefined).toBe(isKept);
    expect(after(text, `!> ${JSON.stringify(template)}`) !== undefined).toBe(!isKept);
  });

  it.each([
    ['<ip> - <user>', '1.2.3.4 - ada', { ip: '1.2.3.4', user: 'ada' }],
    ['took <ms>ms', 'it took 5ms', {}],
    ['<_>took <ms>ms', 'it took 5ms', { ms: '5' }],
    ['<a>,<b>;<c>', '1,2', { a: '1', b: '2' }],
  ])('reads %j of %j', (template, text, expected) => {
    expect(labels(text, `| pattern ${JSON.stringify(template)}`)).toEqual(expected);
  });

  it.each([
    ['| pattern "<_> x"', 'at least one capture is required'],
    ['| pattern "<a><b>"', "found consecutive capture '<a><b>'"],
    ['| pattern "<a> <a>"', 'duplicate capture name (a)'],
    ['|> "<a>"', "named captures are not allowed: found '<a>'"],
    ['| line_format "{{"', 'invalid template: unclosed action'],
  ])('rejects %s', (pipeline, message) => {
    expect(() => after('x', pipeline)).toThrow(message);
  });

  it('does not search long lines for expressions that would take long', () => {
    const long = 'a'.repeat(1_000_000);
    expect(() => after(long, '| json | regexp "(?P<x>(a|b|c)*d)"')).toThrow(/a line of 1000000 characters is too long/);
  });

  it.each([
    ['|= ip("192.168.4.5")', 'from 192.168.4.5:80.', true],
    ['|= ip("192.168.4.5")', 'from 192.168.4.55', false],
    ['|= ip("192.168.4.5/16")', 'a 192.168.99.1', true],
    ['|= ip("192.168.4.5-192.168.4.20")', '192.168.4.20, 1', true],
    ['|= ip("192.168.4.5-192.168.4.20")', '192.168.4.21', false],
    ['|= ip("2001:db8::/32")', 'at 2001:db8::1.', true],
    ['|= ip("::1")', 'no address 12:30:01 but 1.2.3.4', false],
    ['!= ip("10.0.0.0/8")', '10.1.2.3', false],
    ['!= ip("10.0.0.0/8")', 'nothing', true],
    ['|= "x" or ip("10.0.0.0/8")', '10.1.2.3', true],
    ['|= ip("10.0.0.0/8") or "x"', 'x', true],
    ['|= "y" or "x" or ip("10.0.0.0/8") != "z"', '10.0.0.1', true],
    ['|= "y" or "x" or ip("10.0.0.0/8") != "z"', '10.0.0.1 z', false],
    ['| logfmt | addr = ip("10.0.0.0/8")', 'addr=10.0.0.1', true],
    ['| logfmt | addr != ip("10.0.0.0/8")', 'addr=10.0.0.1', false],
    ['| logfmt | addr = ip("10.0.0.0/8")', 'other=10.0.0.1', false],
    ['| logfmt | addr != ip("10.0.0.0/8") and a="1"', 'addr=11.0.0.1 a=1', true],
  ])('%s of %j is kept: %j', (pipeline, text, isKept) => {
    expect(after(text, pipeline) !== undefined).toBe(isKept);
  });

  it.each(['|= ip("x")', '|~ ip("1.2.3.4")', '|= ip("1.2.3.4-::1")', '| a = ip("1.2.3.4/40")'])(
    'rejects %s',
    (pipeline) => {
      expect(() => after('', pipeline)).toThrow(/ip/);
    },
  );

  it('filters by several texts', () => {
    expect(after('abc', '|= "x" or "b"')).toBeDefined();
    expect(after('abc', '!= "x" or "b"')).toBeUndefined();
  });

  it('formats lines and labels, drops and keeps labels, removes colors', () => {
    expect(after('a=1 b=2', '| logfmt | line_format "{{.a}}-{{.b}}-{{.c}}" | drop a')).toEqual({
      ...{ labels: { b: '2' }, text: '1-2-' },
    });
    expect(labels('a=1 b=2', '| logfmt | label_format c=a, d="{{.b}}!" | keep c, d')).toEqual({ c: '1', d: '2!' });
    expect(labels('a=1 b=2', '| logfmt | drop a="2", b="2"')).toEqual({ a: '1' });
    expect(after('\u001b[31mred\u001b[0m', '| decolorize')?.text).toBe('red');
  });

  // The forms of the examples in Loki's documentation of log queries, over other lines.
  const shop = '{"app": "shop-api", "level": "info", "method": "GET", "path": "/a", "status": "200"}';
  const mailer = '{"app": "mailer", "level": "info", "method": "POST", "path": "/b", "status": "500"}';
  it.each([
    ['| json | drop level, method="GET"', shop, { app_extracted: 'shop-api', path: '/a', status: '200' }],
    ['| json | drop level, method="GET", app_extracted', mailer, { method: 'POST', path: '/b', status: '500' }],
    ['| json | drop level, path, app_extracted=~"shop-.*"', shop, { method: 'GET', status: '200' }],
    ['| json | keep level, method="GET"', shop, { level: 'info', method: 'GET' }],
    ['| json | keep level, method="GET"', mailer, { level: 'info' }],
    ['| json | keep level, none, app_extracted=~"shop-.*"', shop, { level: 'info', app_extracted: 'shop-api' }],
    ['| json | keep level, none, app_extracted=~"shop-.*"', mailer, { level: 'info' }],
    [
      '| json first="servers[0]", agent="request.headers[\\"User-Agent\\"]"',
      '{"servers":["a","b"],"request":{"headers":{"User-Agent":"curl"}}}',
      { first: 'a', agent: 'curl' },
    ],
    [
      '| json | __error__ = "" | status >= 500',
      mailer,
      { app_extracted: 'mailer', level: 'info', method: 'POST', path: '/b', status: '500' },
    ],
    ['| json | __error__ = "" | status >= 500', shop, undefined],
    ['| logfmt host, route="path"', 'at=info path=/x host=h status=200', { host: 'h', route: '/x' }],
    [
      '| regexp `(?P<method>\\w+) (?P<path>[\\w|/]+) \\((?P<status>\\d+?)\\) (?P<duration>.*)`',
      'POST /pay (201) 1.5s',
      { method: 'POST', path: '/pay', status: '201', duration: '1.5s' },
    ],
    [
      '| pattern `<_> level=<level> <_> caller=<caller> <_>`',
      'ts=1 level=warn n=2 caller=a.go:7 x',
      { level: 'warn', caller: 'a.go:7' },
    ],
    [
      '| logfmt | duration > 1m and bytes_consumed > 20MB',
      'duration=90s bytes_consumed=21MB',
      { duration: '90s', bytes_consumed: '21MB' },
    ],
    ['| logfmt | duration >= 20ms or method="GET" and size <= 20KB', 'duration=5ms method=GET size=30KB', undefined],
    [
      '| logfmt | (duration >= 20ms or method="GET") , size <= 20KB',
      'duration=25ms method=PUT size=1KB',
      { duration: '25ms', method: 'PUT', size: '1KB' },
    ],
    ['|~ `(?s)a.*b`', 'a\nb', {}],
    ['|~ `(?i)ERROR`', 'an error', {}],
    ['|= "error" != "timeout"', 'error: timeout', undefined],
  ])('%s of %j is %j', (pipeline, text, expected) => {
    expect(labels(text, pipeline)).toEqual(expected);
  });

  it('keeps the error of a line where other labels are not kept, and drops it by its name', () => {
    expect(labels('no json', '| json | keep level')).toMatchObject({ __error__: 'JSONParserErr' });
    expect(labels('no json', '| json | drop __error__, __error_details__')).toEqual({});
  });
});
