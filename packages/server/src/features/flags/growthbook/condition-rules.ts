import { type Clause, type Scalar, TARGETING_KEY } from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';
import { idAttribute } from './remote-rules.ts';

/** A MongoDB query, as GrowthBook's evaluators read it. */
export type Condition = Readonly<Record<string, unknown>>;

/** All of them; undefined: no condition. */
export function allOf(conditions: readonly Condition[]): Condition | undefined {
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}

export const not = (condition: Condition): Condition => ({ $not: condition });

/** A clause other than `in_segment`. @throws NotExpressible */
export function clauseOf(clause: Clause): Condition {
  const { op, negate = false, as, ignore_case, context_kind, attribute = '' } = clause;
  if (context_kind !== undefined) throw new NotExpressible(`reads the context kind "${context_kind}"`);
  const isText = as === 'text' && isEquality(clause) && clause.values.every((value) => typeof value === 'string');
  if (as !== undefined && !isText) throw new NotExpressible(`reads an attribute as ${as}`);
  if (ignore_case === true) throw new NotExpressible('ignores upper and lower case');
  const isUnit = attribute === TARGETING_KEY;
  const path = pathOf(attribute);
  const present = isUnit ? hasUnit(path) : { [path]: { $exists: true } };
  if (op === 'exists') return negate ? not(present) : present;
  const read = isText && !isUnit ? { ...clause, values: ofAnyType(clause.values) } : clause;
  const matches = isUnit ? unitMatch(clause) : attributeMatch(path, read);
  const isComplement = op === 'not_in' || op === 'neq';
  if (negate === isComplement) return matches;
  // A missing attribute matches the complements, and no other negated comparison.
  return isComplement ? not(matches) : { $and: [present, not(matches)] };
}

/** The attribute's name as a path there, where dots separate parts. @throws NotExpressible */
export function pathOf(name: string): string {
  if (name === TARGETING_KEY) return idAttribute;
  const parts = name.startsWith('/') ? name.slice(1).split('/').map(unescaped) : [name];
  for (const part of parts) {
    // There, inherited properties are attributes, and a position in a list is one in some languages only.
    const isUsable = part !== '' && !/^\$|\.|^\d+$/.test(part) && !(part in Object.prototype || part in []);
    if (!isUsable || name === 'now') throw new NotExpressible(`reads the attribute "${name}"`);
  }
  return parts.join('.');
}

const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Whether an attribute identifies a unit: a text, a number other than 0, or true. */
export function hasUnit(path: string): Condition {
  const forms = [{ $type: 'string', $ne: '' }, { $type: 'number', $ne: 0 }, { $eq: true }];
  return { $or: forms.map((form) => ({ [path]: form })) };
}

/** Whether the unit is one of these. The attribute may also be a number other than 0, or true, which is that text for the engine. */
export function unitIn(units: readonly Scalar[]): Condition {
  const identifying = ofAnyType(units.filter((unit) => typeof unit === 'string')).filter(Boolean);
  return { [idAttribute]: { $in: identifying, $not: { $type: 'array' } } };
}

/** Texts, and the numbers and booleans that are written like one of them. */
function ofAnyType(values: readonly Scalar[]): Scalar[] {
  const others = values.flatMap((text): Scalar[] => {
    if (text === 'true' || text === 'false') return [text === 'true'];
    const number = Number(text);
    return Number.isFinite(number) && String(number) === text ? [number] : [];
  });
  return [...values, ...others];
}

function unitMatch(clause: Clause): Condition {
  if (isEquality(clause)) return unitIn(clause.values);
  const pattern = patternOf(clause);
  if (pattern === undefined) throw new NotExpressible(`compares the targeting key by ${clause.op}`);
  return { $and: [hasUnit(idAttribute), { [idAttribute]: pattern }] };
}

function attributeMatch(path: string, clause: Clause): Condition {
  if (isEquality(clause)) return { [path]: { $in: clause.values } };
  const pattern = patternOf(clause);
  const test = pattern === undefined ? orderOf(clause) : { $type: 'string', ...pattern };
  return { $or: [{ [path]: test }, { [path]: { $elemMatch: test } }] };
}

const isEquality = ({ op }: Clause) => op === 'in' || op === 'eq' || op === 'not_in' || op === 'neq';

/** A comparison with any of several numbers is one with the greatest or the least. */
function orderOf({ op, values }: Clause): Condition {
  const numbers = values.filter((value) => typeof value === 'number');
  const isBelow = op === 'lt' || op === 'lte';
  if (!(isBelow || op === 'gt' || op === 'gte')) throw new NotExpressible(`uses the operator ${op}`);
  if (numbers.length === 0) throw new NotExpressible(`compares nothing by ${op}`);
  return { $type: 'number', [`$${op}`]: isBelow ? Math.max(...numbers) : Math.min(...numbers) };
}

/** Ends of lines before which `$` matches in some languages. */
const lineEnds = '[\\n\\r\\u0085\\u2028\\u2029]';

/** A regular expression that means the same in every language. Those of flags are missing, since languages differ. */
function patternOf({ op, values }: Clause): Condition | undefined {
  const texts = values.filter((value) => typeof value === 'string');
  const any = `(?:${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`;
  switch (op) {
    case 'starts_with':
      return { $regex: `^${any}` };
    case 'contains':
      return { $regex: any };
    case 'ends_with':
      if (texts.some((text) => /[\n\r\u0085\u2028\u2029]$|^$/.test(text)))
        throw new NotExpressible('compares the end of an attribute with an empty line');
      return { $regex: `${any}$`, $not: { $regex: `${any}${lineEnds}+$` } };
    default:
      return undefined;
  }
}
