import { anyOf, checkString, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/**
 * `starts_with`, `ends_with`, `contains`: strings only, by UTF-16 code unit, case-sensitive unless the clause says
 * otherwise.
 */
export const startsWith = textOperator((actual, value) => actual.startsWith(value));
export const endsWith = textOperator((actual, value) => actual.endsWith(value));
export const contains = textOperator((actual, value) => actual.includes(value));

function textOperator(compare: (actual: string, value: string) => boolean): Operator {
  return {
    check: checkString,
    compares: 'text',
    foldsCase: true,
    maxValues: MAX_TRIED_VALUES,
    compile: (values, { ignoreCase }) => {
      const texts = values.filter((value) => typeof value === 'string');
      if (ignoreCase) {
        const folded = texts.map((text) => text.toLowerCase());
        return (actual) => {
          const text = typeof actual === 'string' ? actual.toLowerCase() : undefined;
          return text !== undefined && folded.some((value) => compare(text, value));
        };
      }
      return anyOf(texts, (actual, value) => typeof actual === 'string' && compare(actual, value));
    },
  };
}
