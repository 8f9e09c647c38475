import { type Fields, fieldsOf, isFields, isScalar, textOf } from '../../files/fields.ts';
import type { Report } from '../../files/report.ts';
import type { FlagDocument } from '../document.ts';
import { offHere, turnedOff } from './dependencies.ts';
import type { Keys } from './naming.ts';

type Prerequisites = FlagDocument['prerequisites'];

/**
 * Features that must have a certain value, or else the feature serves nothing. Until the other features are converted too, the
 * only variant of each is the text of its condition.
 *
 * @param required features that must be true
 * @param parents conditions of rules on other features
 */
export function gatesOf(required: readonly string[], parents: readonly Fields[], keys: Keys): Prerequisites {
  const gates = parents.filter(({ gate }) => gate === true);
  const conditions = [
    ...required.map((id) => ({ id, condition: { value: true } })),
    ...gates.map(({ id, condition }) => ({ id: textOf(id) ?? '', condition: condition ?? {} })),
  ].map(({ id, condition }) => ({ flag: keys.of(id), variants: [JSON.stringify(condition)] }));
  return [...new Map(conditions.map((gate) => [JSON.stringify(gate), gate])).values()];
}

/** Turns conditions into the variants whose values meet them. A gate that cannot be kept leaves its flag off. */
export function withGates(flags: readonly FlagDocument[], report: Report): FlagDocument[] {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  return flags.map((flag) => {
    const prerequisites: Prerequisites = [];
    for (const { flag: key, variants: conditions } of flag.prerequisites) {
      const found = variantsFor(byKey.get(key), JSON.parse(conditions[0] ?? '{}'));
      if (typeof found === 'string') report.lost(`flag ${flag.key}`, `its prerequisite ${key} ${found}; ${offHere}`);
      else prerequisites.push({ flag: key, variants: found });
    }
    const isWhole = prerequisites.length === flag.prerequisites.length;
    return isWhole ? { ...flag, prerequisites } : turnedOff({ ...flag, prerequisites });
  });
}

/** The variants that meet a condition, or why it cannot be kept. */
function variantsFor(parent: FlagDocument | undefined, condition: unknown): string[] | string {
  if (parent === undefined) return 'is not a flag of the file';
  const { value: test, ...others } = fieldsOf(condition);
  const meets = (value: unknown) => (Object.keys(others).length > 0 ? undefined : meetsTest(value, test));
  // A feature that is off has the value null, which no prerequisite here can ask for.
  const withoutValue = meets(null);
  const found = parent.variants.filter(({ value }) => meets(value) === true).map(({ key }) => key);
  if (withoutValue === undefined || withoutValue) return 'turns it off by a condition that has no equivalent';
  return found.length > 0 ? found : 'turns it off at each of its values';
}

/** As GrowthBook's evaluator; undefined: it compares in a way that is not converted. */
function meetsTest(value: unknown, test: unknown): boolean | undefined {
  if (test === null) return value === null;
  if (typeof test === 'boolean') return value !== null && Boolean(value) === test;
  if (typeof test === 'string') return `${String(value)}` === test;
  if (typeof test === 'number') return Number(value) === test;
  if (!isFields(test) || Object.keys(test).length === 0) return undefined;
  const results = Object.entries(test).map(([name, operand]) => meetsOperator(value, name, operand));
  return results.includes(undefined) ? undefined : results.every(Boolean);
}

function meetsOperator(value: unknown, name: string, operand: unknown): boolean | undefined {
  switch (name) {
    case '$eq':
      return isScalar(operand) ? value === operand : undefined;
    case '$ne':
      return isScalar(operand) ? value !== operand : undefined;
    case '$in':
      return Array.isArray(operand) ? operand.includes(value) : false;
    case '$nin':
      return Array.isArray(operand) ? !operand.includes(value) : false;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return compared(value, name, operand);
    case '$exists':
      return operand === true ? value !== null : value === null;
    default:
      return undefined;
  }
}

/** As JavaScript does it, where no value is 0; only numbers are compared. */
function compared(value: unknown, name: '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): boolean | undefined {
  if (typeof operand !== 'number' || (value !== null && typeof value !== 'number')) return undefined;
  const number = value ?? 0;
  if (name === '$gt') return number > operand;
  if (name === '$gte') return number >= operand;
  return name === '$lt' ? number < operand : number <= operand;
}
