import { anyOf, checkString, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/** `starts_with`, `ends_with`, `contains`: strings only, case-sensitive, by UTF-16 code unit. */
export const startsWith = textOperator((actual, value) => actual.startsWith(value));
export const endsWith = textOperator((actual, value) => actual.endsWith(value));
export const contains = textOperator((actual, value) => actual.includes(value));

function textOperator(compare: (actual: string, value: string) => boolean): Operator {
  return {
    check: checkString,
    maxValues: MAX_TRIED_VALUES,
    compile: (values) => {
      const texts = values.filter((value) => typeof value === 'string');
      return anyOf(texts, (actual, value) => typeof actual === 'string' && compare(actual, value));
    },
  };
}
