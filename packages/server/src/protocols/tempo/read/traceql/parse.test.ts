import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanosecondsOf } from './correct.ts';
import { TraceqlError } from './error.ts';
import { writtenField } from './fields.ts';
import { parseTraceql } from './parse.ts';
import type { Metric, Spanset, Stage } from './tree.ts';
import { writtenExpression, writtenScalar } from './written.ts';

function spanset(of: Spanset): string {
  switch (of.kind) {
    case 'filter':
      return `{ ${writtenExpression(of.condition)} }`;
    case 'operation':
      return `(${spanset(of.left)} ${of.operator} ${spanset(of.right)})`;
    case 'pipeline':
      return `(${of.stages.map(stage).join(' | ')})`;
  }
}

function stage(of: Stage): string {
  switch (of.kind) {
    case 'spanset':
      return spanset(of.spanset);
    case 'scalar':
      return `${writtenScalar(of.left)} ${of.operator} ${writtenScalar(of.right)}`;
    case 'by':
      return `by(${writtenExpression(of.key)})`;
    case 'coalesce':
      return 'coalesce()';
    case 'select':
      return `select(${of.fields.map(writtenField).join(', ')})`;
  }
}

const metric = ({ kind, ...more }: Metric) => [
  kind,
  ...('of' in more ? [writtenField(more.of)] : []),
  ...('levels' in more ? more.levels : []),
  ...('selection' in more ? [writtenExpression(more.selection), more.top] : []),
  ...('selected' in more && more.selected ? [more.selected] : []),
  ...('by' in more && more.by.length > 0 ? [`by ${more.by.map(writtenField).join(' ')}`] : []),
];

/** A query with all of its brackets. */
function read(text: string): unknown {
  const { stages, metric: measured, picks } = parseTraceql(text);
  const written = stages.map(stage).join(' | ');
  return measured === undefined
    ? written
    : [written, metric(measured), ...picks.map(({ kind, count }) => `${kind} ${count}`)];
}

describe('TraceQL', () => {
  it.each([
    ['{}', '{ true }'],
    ['{ .a || .b && .c }', '{ ((.a) || (.b)) && (.c) }'],
    ['{ duration > 1s + 2s * 3 }', '{ (duration) > ((1000000000ns) + ((2000000000ns) * (3))) }'],
    ['{ .a - 1 - 2 = 3 }', '{ (((.a) - (1)) - (2)) = (3) }'],
    ['{ 2 ^ 3 ^ 2 = .a }', '{ ((2) ^ ((3) ^ (2))) = (.a) }'],
    ['{ -.a * 2 > -1 }', '{ ((-(.a)) * (2)) > (-(1)) }'],
    ['{ !.a && .b }', '{ (!(.a)) && (.b) }'],
    ['{ !(.a && .b) }', '{ !((.a) && (.b)) }'],
    ['{ (.a = 1 || .b = 2) && .c = 3 }', '{ (((.a) = (1)) || ((.b) = (2))) && ((.c) = (3)) }'],
    ['{ duration > 1h30m }', '{ (duration) > (5400000000000ns) }'],
    ['{ .a > .5 }', '{ (.a) > (0.5) }'],
    ['{ .a.5 = "x .5 1h30m" }', '{ (.a.5) = ("x .5 1h30m") }'],
    [
      '{ nestedSetParent < 0 && span.nestedSetParent = "nestedSetLeft" }',
      '{ ((nestedSetParent) < (0)) && ((span.nestedSetParent) = ("nestedSetLeft")) }',
    ],
    ['{ span."a \\"b\\" {".c = `x"y` }', '{ (span."a \\"b\\" {.c") = ("x\\"y") }'],
    [
      '{ span:name = name && trace:rootService != nil } // the end',
      '{ ((name) = (name)) && ((rootServiceName) != (nil)) }',
    ],
    ['{ .a = "\\x41\\n\\u0022\\\\d" }', '{ (.a) = ("A\\n\\"\\\\d") }'],
    ['{ .a = 1 } && { .b = 2 } >> { .c = 3 }', '({ (.a) = (1) } && ({ (.b) = (2) } >> { (.c) = (3) }))'],
    ['{ .a } > { .b } ~ { .c }', '(({ .a } > { .b }) ~ { .c })'],
    ['{ .a } !>> { .b } || { .c } &< { .d }', '(({ .a } !>> { .b }) || ({ .c } &< { .d }))'],
    ['({ .a } | count() > 2) && { .b }', '(({ .a } | count() > 2) && { .b })'],
    [
      '{ .a } | { .b } >> { .c } | select(name, .x) | coalesce()',
      '{ .a } | ({ .b } >> { .c }) | select(name, .x) | coalesce()',
    ],
    [
      '{ .a } | by(.x) | max(.y) - min(.y) * 2 > -1s',
      '{ .a } | by(.x) | (max(.y)) - ((min(.y)) * (2)) > -(1000000000ns)',
    ],
    [
      '{ .a } | rate() by (name, resource.x) | topk(3) | bottomk(1)',
      ['{ .a }', ['rate', 'by name resource.x'], 'topk 3', 'bottomk 1'],
    ],
    [
      '{} | quantile_over_time(duration, .9, 0.5, 1) with (sample=true)',
      ['{ true }', ['quantile_over_time', 'duration', 0.9, 0.5, 1]],
    ],
    ['{ .a } | rate() with(span_sample=0.1)', ['{ .a }', ['rate']]],
    ['{ .a } | rate() with (trace_sample=0.05, spanonly_fetch=true)', ['{ .a }', ['rate']]],
    ['{ .a } | compare({ status = error })', ['{ .a }', ['compare', '(status) = (error)', 10]]],
    ['{} | compare({}, 3) | topk(2)', ['{ true }', ['compare', 'true', 3], 'topk 2']],
    [
      '{} | compare({ .a }, 7, 1700000000000000001, 1700000000000000002)',
      ['{ true }', ['compare', '.a', 7, { fromNs: 1700000000000000001n, toNs: 1700000000000000002n }]],
    ],
  ])('%s', (text, tree) => {
    const found = read(text);
    expect(found).toEqual(tree);
  });

  it.each([
    ['', /end of the query/],
    ['{ .a = }', /near/],
    ['{ .a = 1 } extra', /near "extra"/],
    ['{ .a = "\\d" }', /invalid escape/],
    ['{ childCount > 2 }', /near/],
    ['{ .a } | by(.x) && { .b }', /only sets of spans/],
    ['{ .a } | count() =~ 2', /near|compares no aggregates/],
    ['{ span.fanion:intrinsic:x = 1 }', /reserved/],
    ['{ .a } with (most_recent=true, unknown=1)', /hint unknown/],
  ])('refuses %s', (text, message) => {
    expect(() => parseTraceql(text)).toThrow(TraceqlError);
    expect(() => parseTraceql(text)).toThrow(message);
  });

  it('reads or refuses any text, without another error', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '|',
      '&&',
      '>>',
      '!',
      '-',
      '.a',
      '"x"',
      '1',
      '.5',
      '1h2m',
      'count()',
      'name',
      '=',
      '=~',
      'rate()',
      'by',
      '~',
      ' ',
      '//',
      '`',
      '"',
      'with(',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
          fc.string({ unit: 'grapheme' }),
        ),
        (text) => {
          try {
            parseTraceql(text);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceqlError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['1.5s', 1_500_000_000n],
    ['1h30m', 5_400_000_000_000n],
    ['2µs', 2_000n],
    ['9007199254740993ns', 9_007_199_254_740_993n],
  ])('reads the duration %s', (text, nanoseconds) => {
    expect(nanosecondsOf(text)).toBe(nanoseconds);
  });
});
