import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMatchers, printMatchers } from './parse-rules.ts';
import { compileMatchers, type Labels, type Matcher, matcherOperators } from './rules.ts';

interface Facts {
  readonly parser: readonly { name: string; input: string; refused?: true; matchers?: [string, string, string][] }[];
  readonly classic: readonly { input: string; refused?: true; matchers?: [string, string, string][] }[];
  readonly tests: readonly { op: Matcher['op']; value: string; label: string; matches: boolean }[];
}
const facts: Facts = JSON.parse(readFileSync(new URL('./testing/alertmanager-matchers.json', import.meta.url), 'utf8'));

const listed = (parsed: ReturnType<typeof parseMatchers>) =>
  'problem' in parsed ? 'refused' : parsed.map(({ name, op, value }) => [name, op, value]);

function matches(matchers: readonly Matcher[], labels: Labels): boolean {
  const compiled = compileMatchers(matchers);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.match(labels);
}

describe('the text form of matchers', () => {
  it.each(facts.parser.map((fact) => [fact.name, fact] as const))('reads as Alertmanager does: %s', (_name, fact) => {
    expect(listed(parseMatchers(fact.input))).toEqual(fact.refused ? 'refused' : fact.matchers);
  });

  it('reads what its older parser accepted in the same way, or refuses it', () => {
    const results = facts.classic.map(({ input, refused, matchers }) => {
      const ours = listed(parseMatchers(input));
      if (ours === 'refused') return refused ? 'both refuse' : 'we refuse';
      if (refused) return `we accept ${input}`;
      return JSON.stringify(ours) === JSON.stringify(matchers) ? 'same' : `differs: ${input}`;
    });
    const count = (wanted: string) => results.filter((result) => result === wanted).length;
    // As Alertmanager's newer parser, which also refuses unquoted quotes and backslashes, and takes any label name.
    expect([count('same'), count('both refuse'), count('we refuse')]).toEqual([22, 13, 16]);
    expect(results.filter((result) => result.startsWith('we accept') || result.startsWith('differs'))).toEqual([
      'we accept {invalid-name = "valid label"}',
      // It is a matcher; its pattern is refused when it is compiled.
      'we accept {foo=~"invalid[regexp"}',
    ]);
  });

  it('is read back as it was printed', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !/\p{Surrogate}/u.test(one));
    const matcher = fc.record({ name: text, op: fc.constantFrom(...matcherOperators), value: text });
    fc.assert(
      fc.property(fc.array(matcher, { maxLength: 4 }), (matchers) => {
        expect(parseMatchers(printMatchers(matchers))).toEqual(matchers);
      }),
    );
  });

  it('never throws', () => {
    const text = fc.string({
      unit: fc.constantFrom('{', '}', '=', '!', '~', '"', '\\', 'x', 'u', 'U', '0', '8', ',', ' ', 'é'),
    });
    fc.assert(fc.property(text, (input) => void parseMatchers(input)));
  });
});

describe('a matcher', () => {
  it.each(facts.tests)(
    '$op $value on $label gives $matches, as in Alertmanager',
    ({ op, value, label, matches: wanted }) => {
      expect(matches([{ name: 'l', op, value }], { l: label })).toBe(wanted);
    },
  );

  it.each([
    ['=', '', true],
    ['!=', '', false],
    ['=~', '', true],
    ['=~', '.+', false],
    ['!~', '.+', true],
    ['!=', 'a', true],
  ] as const)('treats a missing label as empty: %s "%s" gives %s', (op, value, wanted) => {
    expect(matches([{ name: 'missing', op, value }], { other: 'x' })).toBe(wanted);
    expect(matches([{ name: 'constructor', op, value }], {})).toBe(wanted);
  });

  it('holds together with all others', () => {
    const two: Matcher[] = [
      { name: 'a', op: '=', value: '1' },
      { name: 'b', op: '=~', value: '2|3' },
    ];
    expect([matches(two, { a: '1', b: '3' }), matches(two, { a: '1', b: '34' }), matches([], {})]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each([
    ['no label name', { name: '', op: '=', value: 'x' }, /no label name/],
    ['a pattern that does not compile', { name: 'a', op: '=~', value: 'a)(b' }, /not an RE2 pattern/],
    ['a look-ahead, which RE2 does not have', { name: 'a', op: '!~', value: '(?=b)' }, /not an RE2 pattern/],
    ['a pattern that explodes', { name: 'a', op: '=~', value: '((a{1,30}){1,30}){1,30}' }, /too large|not an RE2/],
    ['a pattern that is too long', { name: 'a', op: '=~', value: 'a'.repeat(1_001) }, /1000 characters/],
  ] as const)('is refused with %s', (_name, matcher, problem) => {
    const compiled = compileMatchers([{ name: 'ok', op: '=', value: '' }, matcher]);
    expect(compiled).toMatchObject({ at: 1, problem: expect.stringMatching(problem) });
  });

  it('takes linear time where a backtracking engine takes exponential time', () => {
    expect(matches([{ name: 'a', op: '=~', value: '(a+)+' }], { a: `${'a'.repeat(1_000)}b` })).toBe(false);
  });
});
