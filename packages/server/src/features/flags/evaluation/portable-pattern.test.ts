import { compilePattern } from '@fanion/flag-engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { portablePattern } from './portable-pattern.ts';

const atom = fc.constantFrom(
  ...['a', 'K', 's', '-', '/', '\\.', '\\d', '\\w', '\\s', '\\S+', '\\W*', '.+', '.*', '[a-c]', '[^ab]+', '[A-Z0-9_]'],
  ...['[k-t.]', '[\\d.-]', '[-a]', '\\n', '\\-', '\\/', '@', '^', '$', '[$^]', '[\\]a]', '[s]', 'ä', '='],
);
const repeated = fc
  .tuple(atom, fc.constantFrom('', '', '', '+', '*', '?', '{2}', '{1,2}', '*?'))
  .map(([of, count]) => of + (/[*+$^]$/.test(of) ? '' : count));
const pattern = fc.letrec<{ all: string; part: string }>((tie) => ({
  all: fc
    .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map((part) => part.join('')).join('|')),
  part: fc.oneof(
    { maxDepth: 2 },
    repeated,
    tie('all').map((inner) => `(${inner})`),
    tie('all').map((inner) => `(?:${inner})?`),
  ),
})).all;
const text = fc
  .array(
    fc.constantFrom(...['a', 'b', 'K', 'k', 's', 'S', 'T', '\u212a', '\u017f', '0', '.', '-', '/', '@', '=', ' ']),
    { maxLength: 6 },
  )
  .chain((chars) => fc.constantFrom('', '', '\n', '\r', 'ä', '😀', '$', '^', ']').map((last) => chars.join('') + last));

it("find in JavaScript what the engine's patterns find", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      pattern,
      fc.boolean(),
      fc.array(text, { minLength: 20, maxLength: 20 }),
      (source, ignoreCase, texts) => {
        const compiled = compilePattern(source, { ignoreCase });
        const portable = portablePattern(source, ignoreCase);
        if (typeof compiled === 'string' || portable === undefined) return;
        // As a language whose `$` also matches before a line feed at the end.
        const other = new RegExp(portable.pattern.replace(/\$$|\$(?=\|)/g, '(?:$|(?=\\n$))'));
        const finds = (one: string) => !(portable.endsText && one.endsWith('\n')) && other.test(one);
        for (const one of texts) {
          expect(finds(one), `${portable.pattern} in ${JSON.stringify(one)}`).toBe(compiled.regex.test(one));
          compared++;
        }
      },
    ),
    { numRuns: 6_000 },
  );
  expect(compared).toBeGreaterThan(20_000);
});

it.each([
  ['^user-[0-9]+@shop\\.example$', false, '^user-[0-9]+@shop\\.example$', true],
  ['\\w+/(eu|us)', false, '[0-9A-Za-z_]+/(?:eu|us)', false],
  ['ks', true, '[kK\u212a][sS\u017f]', false],
  ['^a.*', false, '^a[^\\n]*', false],
  ['^.*@shop$|^[0-9]+b?$', false, '^[^\\n]*@shop$|^[0-9]+b?$', true],
  ['{', false, '\\{', false],
])('%s with ignored case: %s is %s', (source, ignoresCase, pattern, endsText) => {
  expect(portablePattern(source, ignoresCase)).toEqual({ pattern, endsText });
});

it.each([
  ['a single character of any kind, which is two in some languages', 'a.b'],
  ['a number of characters of any kind', '[^a]{2}'],
  ['characters of any kind after others', '.+[^a]+'],
  ['a repetition of characters of any kind', '(?:a|[^b]+)+'],
  ['a space before the end of the text', 'a\\s$'],
  ['an end of the text within it', 'a$|b'],
  ['an end of the text in a group', '(a$)'],
  ['a boundary of words, which differs beyond ASCII', '\\bshop'],
  ['a class of Unicode', '\\p{L}'],
  ['a flag', '(?i)shop'],
  ['a name', '(?P<name>shop)'],
  ['a class of POSIX', '[[:alpha:]]'],
  ['a character above U+FFFF', '😀'],
  ['an unfinished group', '(a'],
])('%s is not portable', (_, source) => {
  expect(portablePattern(source, false)).toBeUndefined();
});

it('letters beyond ASCII are not portable where case is ignored', () => {
  expect(portablePattern('ä', true)).toBeUndefined();
});
