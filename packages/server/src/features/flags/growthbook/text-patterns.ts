import { MAX_TRIED_VALUES } from '@fanion/flag-engine';
import { NotExpressible, portablePattern } from '../evaluation/index.ts';
import type { Condition } from './condition.ts';

/** Ends of lines before which `$` matches in some languages. Go does not know `\\u` in patterns. */
const lineEnd = '[\\n\\r\u0085\u2028\u2029]';

/**
 * The test of a text that one of these patterns matches from its beginning to its end. They match no text that ends with the end of a line.
 * @throws NotExpressible for more values than the engine tries one after another
 */
export function wholeText(patterns: readonly string[], unless: readonly string[] = []): Condition {
  if (patterns.length > MAX_TRIED_VALUES)
    throw new NotExpressible(`compares with more than ${MAX_TRIED_VALUES} values by patterns`);
  const excluded = [...unless, `${lineEnd}$`].join('|');
  return { $type: 'string', $regex: `^(?:${patterns.join('|')})$`, $not: { $regex: excluded } };
}

/** The test of a text that has one of these at a place. @throws NotExpressible */
export function textAt(
  place: 'starts_with' | 'contains' | 'ends_with',
  texts: readonly string[],
  ignoresCase: boolean,
): Condition {
  const any = `(?:${texts.map((text) => literal(text, { ignoresCase, isOpen: place !== 'ends_with' })).join('|')})`;
  if (place !== 'ends_with') return { $type: 'string', $regex: place === 'starts_with' ? `^${any}` : any };
  checkEnds(texts);
  return { $type: 'string', $regex: `${any}$`, $not: { $regex: `${any}${lineEnd}+$` } };
}

/** The test of a text that equals one of these but for the case of its letters. @throws NotExpressible */
export function sameLetters(texts: readonly string[]): Condition {
  checkEnds(texts.filter((text) => text !== ''));
  return wholeText(texts.map((text) => literal(text, { ignoresCase: true, isOpen: false })));
}

/** The tests of a text in which one of these RE2 patterns finds something. @throws NotExpressible */
export function matchingText(patterns: readonly string[], ignoresCase: boolean): Condition[] {
  return patterns.map((source) => {
    const portable = portablePattern(source, ignoresCase);
    if (portable === undefined) throw new NotExpressible('uses a pattern that means something else in other languages');
    const { pattern, endsText } = portable;
    return { $type: 'string', $regex: pattern, ...(endsText && { $not: { $regex: '\\n$' } }) };
  });
}

function checkEnds(texts: readonly string[]): void {
  if (texts.some((text) => text === '' || new RegExp(`${lineEnd}$`).test(text)))
    throw new NotExpressible('compares the end of an attribute with an empty line');
}

/**
 * A pattern that means this text in every language. Case is ignored as the engine does it, by lower case: of other characters, only the Kelvin sign
 * and the beginning of İ become one of a to z.
 */
function literal(
  text: string,
  { ignoresCase, isOpen }: { readonly ignoresCase: boolean; readonly isOpen: boolean },
): string {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (!ignoresCase) return escaped;
  if (/[^\0-\x7f]/.test(text)) throw new NotExpressible('ignores the case of letters other than a to z');
  return escaped.replace(/[a-z]/gi, (letter, at: number) => {
    const lower = letter.toLowerCase();
    const others = lower === 'k' ? '\u212a' : lower === 'i' && isOpen && at === escaped.length - 1 ? '\u0130' : '';
    return `[${lower}${lower.toUpperCase()}${others}]`;
  });
}
