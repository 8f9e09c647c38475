import { anyOf, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/** `lt`, `lte`, `gt`, `gte`: numbers only. "10" is not a number unless the clause reads it as one (`as`). */
export const lt = orderOperator((actual, value) => actual < value);
export const lte = orderOperator((actual, value) => actual <= value);
export const gt = orderOperator((actual, value) => actual > value);
export const gte = orderOperator((actual, value) => actual >= value);

function orderOperator(compare: (actual: number, value: number) => boolean): Operator {
  return {
    check: (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a finite number'),
    compares: 'number',
    maxValues: MAX_TRIED_VALUES,
    compile: (values) => {
      const numbers = values.filter((value) => typeof value === 'number');
      return anyOf(numbers, (actual, value) => typeof actual === 'number' && compare(actual, value));
    },
  };
}
