import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanosecondsOf } from './correct.ts';
import { TraceqlError } from './error.ts';
import { writtenField } from './fields.ts';
import { parseTraceql } from './parse.ts';
import type { Metric, MetricsExpression, SecondStage, Spanset, Stage } from './tree.ts';
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

const afterOf = (after: readonly SecondStage[]) =>
  after.map((one) => (one.kind === 'filter' ? `${one.operator} ${one.value}` : `${one.kind} ${one.count}`));

function metrics(of: MetricsExpression): unknown {
  switch (of.kind) {
    case 'number':
      return of.value;
    case 'query':
      return [of.stages.map(stage).join(' | '), metric(of.metric), ...afterOf(of.after)];
    case 'arithmetic':
      return [metrics(of.left), of.operator, metrics(of.right), ...afterOf(of.after)];
  }
}

/** A query with all of its brackets. */
function read(text: string): unknown {
  const { stages, metrics: measured } = parseTraceql(text);
  return measured === undefined ? stages.map(stage).join(' | ') : metrics(measured);
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
    ['{ span:childCount > 2 }', '{ (span:childCount) > (2) }'],
    ['{ .a >= minInt && .a <= maxInt }', `{ ((.a) >= (-(${2n ** 63n}))) && ((.a) <= (${2n ** 63n - 1n})) }`],
    ['{ .minInt = "maxInt" }', '{ (.minInt) = ("maxInt") }'],
    ['{ parent.a = parent.span.b }', '{ (parent.a) = (parent.span.b) }'],
    ['{} | rate() by (span.x) > 10', ['{ true }', ['rate', 'by span.x'], '> 10']],
    [
      '{} | rate() | topk(5) > 20 | bottomk (10) <= -1.5',
      ['{ true }', ['rate'], ...['topk 5', '> 20', 'bottomk 10', '<= -1.5']],
    ],
    ['{} | avg_over_time(duration) != 1m30s', ['{ true }', ['avg_over_time', 'duration'], '!= 90']],
    ['{} | rate() > (1 + 2) * 3 - 4 with(sample=0.1)', ['{ true }', ['rate'], '> 5']],
    ['({} | rate()) >= 1 / 2', ['{ true }', ['rate'], '>= 0']],
    ['({} | rate()) >= 1.0 / 2', ['{ true }', ['rate'], '>= 0.5']],
    ['({ .a } | rate()) / ({} | rate())', [['{ .a }', ['rate']], '/', ['{ true }', ['rate']]]],
    [
      '100 * ({.a} | rate()) / ({} | rate()) > 5',
      [[100, '*', ['{ .a }', ['rate']]], '/', ['{ true }', ['rate']], '> 5'],
    ],
    [
      '({.a} | rate()) - ({.b} | rate() by (name) | topk(2)) * -2 | bottomk(1)',
      [['{ .a }', ['rate']], '-', [['{ .b }', ['rate', 'by name'], 'topk 2'], '*', -2], 'bottomk 1'],
    ],
    [
      '(({.a} | count() > 1 | select(name) | rate() > 6) + 1) * 2 // twice',
      [[['{ .a } | count() > 1 | select(name)', ['rate'], '> 6'], '+', 1], '*', 2],
    ],
    ['({ .rate = "rate()" } | count() > 1) && { .b }', '(({ (.rate) = ("rate()") } | count() > 1) && { .b })'],
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
    ['{ .a } with (timeout=5s)', /the hint timeout is not supported/],
    ['{ .a } with (exemplars=5)', /exemplars is for metrics queries only/],
    ['{} | rate() with (most_recent=true)', /most_recent is for searches only/],
    ['{} | rate() with (exemplars=1001)', /a number up to 1000, not 1001/],
    ['{} | rate() with (exemplars="many")', /exemplars is true, false or a number/],
    ['{} | rate() with (extrapolate=false)', /extrapolate takes only true/],
    ['{} | rate() with (sample=2)', /a sample is true, false or a share/],
    ['{} with (most_recent=1)', /true or false, not 1/],
    ['{} with (sample)', /hints are written as/],
    ['{} with (sample=true', /not closed/],
    ['{} with (sample=true) | rate()', /a query ends with them/],
    ['{} | rate() == 42', /operand is missing|near/],
    ['{} | rate() > ({} | rate())', /with a number, not with another query/],
    ['5 > ({} | rate())', /with a number on the right/],
    ['{} | rate() + 5', /brackets around each metrics query/],
    ['5 + {} | rate()', /near|brackets/],
    ['({} | rate()) + {} | rate()', /brackets|near/],
    ['({} | rate()) % 10', /operators \+, -, \* and \/, not %/],
    ['({} | rate()) * 10s', /a duration cannot be used in arithmetic/],
    ['({} | rate()) > (10s * 2)', /a duration cannot be used in arithmetic/],
    ['({} | rate()) * 100000000000000000000000000000', /64 bits/],
    ['({} | rate()) + 1 / 0', /divided by 0/],
    ['-({} | rate())', /multiply it by -1/],
    ['({} | rate()) + 5 100', /near "100"/],
    ['({}) + ({} | rate())', /brackets around each metrics query/],
    ['(({} | rate()) | topk(5)) * 2', /stand after all brackets/],
    ['({} | rate()', /near|not closed/],
    ['({} | compare({})) * 2', /compare\(\) cannot be used in arithmetic/],
    ['{} | compare({}) > 2', /a comparison cannot follow compare/],
    ['{} | rate() | topk(-1)', /from 1 to 1000/],
    [`{} | rate()${' > 1'.repeat(9)}`, /at most 8 stages/],
    [Array(9).fill('({} | rate())').join(' + '), /at most 8 metrics queries/],
    [`${'('.repeat(60)}({} | rate())${')'.repeat(60)}`, /nested too deeply/],
    [`${'-'.repeat(60)}1 * ({} | rate())`, /nested too deeply/],
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
      ...['topk(1)', '> 1', '+', '*', '/', '({} | rate())', 'minInt', 'sample=1'],
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
