import type { OperatorName } from '../ruleset.ts';
import { cidr } from './cidr.ts';
import { after, before } from './date.ts';
import { equality } from './equality.ts';
import type { Operator } from './operator.ts';
import { gt, gte, lt, lte } from './order.ts';
import { matches } from './regex.ts';
import {
  semverCaret,
  semverEq,
  semverGt,
  semverGte,
  semverLt,
  semverLte,
  semverSameMajor,
  semverSameMinor,
  semverTilde,
} from './semver.ts';
import { contains, endsWith, startsWith } from './text.ts';

/** The operators that compare an attribute with values: all but `exists` and `in_segment`. */
export type ComparingOperator = Exclude<OperatorName, 'exists' | 'in_segment'>;

const OPERATORS: Readonly<Record<ComparingOperator, Operator>> = {
  in: equality,
  not_in: equality,
  eq: equality,
  neq: equality,
  starts_with: startsWith,
  ends_with: endsWith,
  contains,
  matches,
  lt,
  lte,
  gt,
  gte,
  before,
  after,
  semver_eq: semverEq,
  semver_lt: semverLt,
  semver_lte: semverLte,
  semver_gt: semverGt,
  semver_gte: semverGte,
  semver_caret: semverCaret,
  semver_tilde: semverTilde,
  semver_same_major: semverSameMajor,
  semver_same_minor: semverSameMinor,
  cidr,
  in_cidr: cidr,
};

/** All operators, in the order of an editor's list. */
export const OPERATOR_NAMES: readonly OperatorName[] = [
  'in',
  'not_in',
  'eq',
  'neq',
  'starts_with',
  'ends_with',
  'contains',
  'matches',
  'lt',
  'lte',
  'gt',
  'gte',
  'before',
  'after',
  'semver_eq',
  'semver_lt',
  'semver_lte',
  'semver_gt',
  'semver_gte',
  'semver_caret',
  'semver_tilde',
  'semver_same_major',
  'semver_same_minor',
  'cidr',
  'in_cidr',
  'exists',
  'in_segment',
];

/** The operator of that name; undefined for an unknown or inherited name. */
export function operatorOf(name: ComparingOperator): Operator;
export function operatorOf(name: string): Operator | undefined;
export function operatorOf(name: string): Operator | undefined {
  return Object.hasOwn(OPERATORS, name) ? OPERATORS[name as ComparingOperator] : undefined;
}
