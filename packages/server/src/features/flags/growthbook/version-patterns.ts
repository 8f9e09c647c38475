import type { Clause, Scalar } from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';
import type { Condition } from './condition.ts';
import { greaterWhole, type Order, smallerWhole } from './number-patterns.ts';
import { wholeText } from './text-patterns.ts';

type Numbers = readonly [major: string, minor: string, patch: string];

const number = '(?:0|[1-9][0-9]*)';
const identifier = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const prerelease = `-${identifier}(?:\\.${identifier})*`;
const build = '(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?';
const orders: Readonly<Record<string, Order>> = {
  semver_eq: 'eq',
  semver_lt: 'lt',
  semver_lte: 'lte',
  semver_gt: 'gt',
  semver_gte: 'gte',
};

/**
 * Tests of a version. GrowthBook's own comparisons order `2` below `2.0.0` and know no upper-case `V`, and outside of JavaScript they compare numbers
 * with numbers only. So texts are compared by patterns, and numbers, for a clause that reads them as versions, by GrowthBook's comparisons.
 * Undefined: not a comparison of versions.
 *
 * @throws NotExpressible
 */
export function versionTests({ op, as, values }: Clause): Condition[] | undefined {
  const order = orders[op as string];
  if (order === undefined) return undefined;
  const versions = values.map(numbersOf);
  const lead = as === 'version' ? '[vV]?' : '';
  const texts = wholeText(
    versions.map((version) => `${lead}(?:${patternsOf(order, version).join('|')})${build}`),
    ['^.{257}'],
  );
  return as === 'version' ? [texts, ...versions.flatMap((version) => numberTests(order, version))] : [texts];
}

function numbersOf(value: Scalar): Numbers {
  const match = /^[vV]?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[^+]*)?(?:\+.*)?$/.exec(String(value));
  if (match === null || match[4] !== undefined) throw new NotExpressible(`compares with the pre-release ${value}`);
  return [match[1] ?? '0', match[2] ?? '0', match[3] ?? '0'];
}

function patternsOf(order: Order, version: Numbers): string[] {
  const equal = `(?:${equalTo(version).join('|')})`;
  const above = `(?:${beyond(version).join('|')})(?:${prerelease})?`;
  const less = below(version).map((pattern) => `${pattern}(?:${prerelease})?`);
  // A pre-release is below its version.
  return {
    eq: [equal],
    gt: [above],
    gte: [above, equal],
    lt: [...less, `${equal}${prerelease}`],
    lte: [...less, `${equal}(?:${prerelease})?`],
  }[order];
}

/** Numbers at the end may be missing. */
function equalTo([major, minor, patch]: Numbers): string[] {
  const whole = `${major}\\.${minor}\\.${patch}`;
  if (patch !== '0') return [whole];
  return minor === '0' ? [major, `${major}\\.${minor}`, whole] : [`${major}\\.${minor}`, whole];
}

const one = (patterns: readonly string[]) => `(?:${patterns.join('|')})`;

function beyond([major, minor, patch]: Numbers): string[] {
  return [
    `${one(greaterWhole(major))}(?:\\.${number}(?:\\.${number})?)?`,
    `${major}\\.${one(greaterWhole(minor))}(?:\\.${number})?`,
    `${major}\\.${minor}\\.${one(greaterWhole(patch))}`,
  ];
}

function below([major, minor, patch]: Numbers): string[] {
  const smaller = { major: smallerWhole(major), minor: smallerWhole(minor), patch: smallerWhole(patch) };
  return [
    ...(smaller.major.length > 0 ? [`${one(smaller.major)}(?:\\.${number}(?:\\.${number})?)?`] : []),
    ...(smaller.minor.length > 0 ? [`${major}\\.${one(smaller.minor)}(?:\\.${number})?`] : []),
    ...(smaller.patch.length > 0 ? [`${major}\\.${minor}\\.${one(smaller.patch)}`, `${major}\\.${minor}`] : []),
    ...(minor === '0' && patch === '0' ? [] : [major]),
  ];
}

/** Beyond these, numbers have exponents. */
const mostOfNumber = 1e15;
/** GrowthBook compares the parts of versions as texts of five characters. */
const mostDigits = 4;

/** A number is a version of one or two numbers: 2, 2.5. */
function numberTests(order: Order, version: Numbers): Condition[] {
  const [major, minor, patch] = version;
  if (version.some(({ length }) => length > mostDigits))
    throw new NotExpressible('compares with a version of numbers above 9999');
  const isBetween = { $type: 'number', $gte: 0, $lt: mostOfNumber };
  // No number ends with 0 after its point: what is above 1.10 is 1.11 and more.
  const isWritten = !/[1-9]0+$/.test(minor);
  const at = (last: string | number) => Number(`${major}.${last}`);
  const above: Condition = isWritten ? { $vgt: at(minor) } : { $vgte: at(Number(minor) + 1) };
  const atLeast: Condition = patch === '0' && isWritten ? { $vgte: at(minor) } : above;
  switch (order) {
    case 'gt':
      return [{ ...isBetween, ...above }];
    case 'gte':
      return [{ ...isBetween, ...atLeast }];
    case 'lt':
      return [{ ...isBetween, $not: atLeast }];
    case 'lte':
      return [{ ...isBetween, $not: above }];
    case 'eq':
      return patch === '0' && isWritten ? [{ ...isBetween, $eq: at(minor) }] : [];
  }
}
