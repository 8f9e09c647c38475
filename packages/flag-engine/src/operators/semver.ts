import type { Scalar } from '../ruleset.ts';
import { type Comparison, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/** `semver_eq` and related operators: versions as text, by the precedence of Semantic Versioning 2.0.0. */
export const semverEq = semverOrder((order) => order === 0);
export const semverLt = semverOrder((order) => order < 0);
export const semverLte = semverOrder((order) => order <= 0);
export const semverGt = semverOrder((order) => order > 0);
export const semverGte = semverOrder((order) => order >= 0);

/** `semver_same_major`, `semver_same_minor`: flagd's `^` and `~`, which compare numbers without order. */
export const semverSameMajor = semverOperator((version, value) => sameNumbers(version, value, 1));
export const semverSameMinor = semverOperator((version, value) => sameNumbers(version, value, 2));

/**
 * `semver_caret`, `semver_tilde`: npm's ranges `^` and `~`. The version is not below the value, and its numbers are the
 * same up to the first that is not zero (`^`), or the first two (`~`). Pre-releases are included, as with npm's
 * `includePrerelease`.
 */
export const semverCaret = semverOperator(
  (version, value) => compareSemver(version, value) >= 0 && sameNumbers(version, value, caretNumbers(value)),
);
export const semverTilde = semverOperator(
  (version, value) => compareSemver(version, value) >= 0 && sameNumbers(version, value, 2),
);

/** How many numbers `^` keeps fixed: 1 of 1.2.3, 2 of 0.2.3, 3 of 0.0.3. */
function caretNumbers({ numbers }: Semver): number {
  const first = numbers.findIndex((number) => number !== '0');
  return first === -1 ? numbers.length : first + 1;
}

function sameNumbers(a: Semver, b: Semver, count: number): boolean {
  return a.numbers.slice(0, count).every((number, i) => number === b.numbers[i]);
}

function semverOrder(accepts: (order: number) => boolean): Operator {
  return semverOperator((version, value) => accepts(compareSemver(version, value)));
}

function semverOperator(accepts: (version: Semver, value: Semver) => boolean): Operator {
  return {
    compares: 'text',
    check: (value, how) =>
      parseValue(value, how) === undefined ? 'must be a semantic version such as "2.1.0"' : undefined,
    maxValues: MAX_TRIED_VALUES,
    compile: (values, how) => {
      const versions = values.map((value) => parseValue(value, how)).filter((version) => version !== undefined);
      return (actual) => {
        const version = parseSemver(actual);
        return version !== undefined && versions.some((value) => accepts(version, value));
      };
    },
  };
}

/** A version's numbers and pre-release identifiers. Numbers stay text: they may have more digits than a double. */
export interface Semver {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

const NUMBER = '(0|[1-9]\\d*)';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
// Minor and patch may be left out, as LaunchDarkly allows: "2" and "2.0" are 2.0.0.
const SEMVER = new RegExp(`^${NUMBER}(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`);

/** The longest accepted version. */
const MAX_VERSION_LENGTH = 256;

function parseValue(value: Scalar, { version }: Comparison): Semver | undefined {
  return parseSemver(version ? withoutV(value) : value);
}

/** `v1.2.3` as `1.2.3`. */
export function withoutV<T>(value: T): T | string {
  return typeof value === 'string' && /^[vV]\d/.test(value) ? value.slice(1) : value;
}

/** Undefined for an invalid version: another type, a leading `v`, a number with a leading zero. */
export function parseSemver(value: Scalar): Semver | undefined {
  if (typeof value !== 'string' || value.length > MAX_VERSION_LENGTH) return undefined;
  const match = SEMVER.exec(value);
  if (match === null) return undefined;
  const prerelease = match[4]?.split('.') ?? [];
  if (prerelease.some((identifier) => /^0\d+$/.test(identifier))) return undefined;
  return { numbers: [match[1] ?? '0', match[2] ?? '0', match[3] ?? '0'], prerelease };
}

/** Negative, zero or positive as `a` precedes, equals or follows `b` (SemVer 2.0.0, item 11); build is ignored. */
export function compareSemver(a: Semver, b: Semver): number {
  for (let i = 0; i < 3; i++) {
    const order = compareNumbers(a.numbers[i] ?? '0', b.numbers[i] ?? '0');
    if (order !== 0) return order;
  }
  // A version without a pre-release follows all of its pre-releases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [i, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Digits without leading zeros: the longer is the greater. */
function compareNumbers(a: string, b: string): number {
  return a.length === b.length ? compareText(a, b) : a.length - b.length;
}

function compareIdentifiers(a: string, b: string): number {
  const aNumeric = /^\d+$/.test(a);
  const bNumeric = /^\d+$/.test(b);
  if (aNumeric && bNumeric) return compareNumbers(a, b);
  if (aNumeric !== bNumeric) return aNumeric ? -1 : 1;
  return compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
