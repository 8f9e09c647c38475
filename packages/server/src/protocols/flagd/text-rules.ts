import type { Clause } from '@fanion/flag-engine';
import { NotExpressible } from '../../features/flags/evaluation/index.ts';
import { all, any, equals, isLonger, it, type Logic, not, oneOf, part } from './logic.ts';
import { shared } from './shared-tests.ts';

/** The test of an element that must be a text; undefined for clauses that compare something else. @throws NotExpressible */
export function textTest({ op, as, ignore_case: ignoresCase = false, values }: Clause): Logic | undefined {
  const isPlace = op === 'starts_with' || op === 'contains' || op === 'ends_with';
  if (!isPlace && !ignoresCase) return undefined;
  if (as !== undefined) throw new NotExpressible(`reads an attribute as ${as} and compares its letters: remove "as"`);
  const texts = values.filter((value) => typeof value === 'string');
  // Other values have no letters.
  const others = isPlace ? [] : values.filter((value) => typeof value !== 'string');
  if (others.length > 0)
    throw new NotExpressible('ignores the case of numbers and booleans: compare them in a clause of their own');
  const test = ignoresCase ? withoutCase[op] : exact[op];
  if (test === undefined) throw new NotExpressible(`ignores upper and lower case by ${op}: list the spellings`);
  return all([shared('fanion-text'), any(texts.map((text) => test(checked(text, ignoresCase))))]);
}

type TextTests = Readonly<Record<string, ((text: string) => Logic) | undefined>>;

const exact: TextTests = {
  // The evaluator for JavaScript finds nothing in an empty text.
  contains: (text) => text === '' || { in: [text, it] },
  starts_with: (text) => any(lengthsOf(text).map((length) => equals(part(it, 0, length), text))),
  // A text of length 0 would be the whole.
  ends_with: (text) => text === '' || any(lengthsOf(text).map((length) => equals(part(it, -length), text))),
};

/** JavaScript counts characters above U+FFFF as two. In any other count, the part is never equal, or it is the whole text. */
function lengthsOf(text: string): number[] {
  return [...new Set([text.length, [...text].length])];
}

const equality = (text: string): Logic => all([not(isLonger(it, text.length)), ...lettersAt(it, text, {})]);
const withoutCase: TextTests = {
  in: equality,
  eq: equality,
  not_in: equality,
  neq: equality,
  starts_with: (text) => all(lettersAt(it, text, { isOpen: true })),
  ends_with: (text) => text === '' || all(lettersAt(part(it, -text.length), text, {})),
};

/**
 * Whether the characters of a text are these. Case is ignored as the engine does it, by lower case: of other characters, only the Kelvin sign and
 * the beginning of İ become one of a to z.
 */
function lettersAt(value: Logic, text: string, { isOpen = false }: { readonly isOpen?: boolean }): Logic[] {
  return [...text.toLowerCase()].map((letter, at) => {
    const upper = letter.toUpperCase();
    const others = letter === 'k' ? ['\u212a'] : letter === 'i' && isOpen && at === text.length - 1 ? ['\u0130'] : [];
    const char = part(value, at, 1);
    return upper === letter ? equals(char, letter) : oneOf(char, [letter, upper, ...others]);
  });
}

function checked(text: string, ignoresCase: boolean): string {
  if (/\p{Surrogate}/u.test(text)) throw new NotExpressible('compares with half of a character: use the whole one');
  if (ignoresCase && /[^\0-\x7f]/.test(text))
    throw new NotExpressible('ignores the case of letters other than a to z: list the spellings');
  return text;
}
