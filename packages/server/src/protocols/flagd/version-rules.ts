import { type Clause, MAX_TRIED_VALUES, parseSemver, withoutV } from '@fanion/flag-engine';
import { NotExpressible } from '../../features/flags/evaluation/index.ts';
import { all, any, differs, equals, it, type Logic, type Order, part, signs } from './logic.ts';
import { shared } from './shared-tests.ts';
import { keyBeginning, keyOfVersion, numberKey, versionKey } from './text-machines.ts';

/** Evaluators write numbers with at most this many digits alike. */
const mostDigits = 15;

interface Version {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

interface VersionTests {
  /** Of an element. `reduce` cannot carry lists there, and `sem_ver` reads versions as the engine does, which other languages do not. */
  readonly inGo: Logic;
  /** Of what the shared tests read. */
  readonly elsewhere: Logic;
}

/** @throws NotExpressible */
export function versionTests({ op, values, as }: Clause): VersionTests {
  if (values.length > MAX_TRIED_VALUES)
    throw new NotExpressible(`compares with more than ${MAX_TRIED_VALUES} versions`);
  const versions = values.map((value): Version => {
    const version = parseSemver(as === 'version' ? withoutV(value) : value);
    if (version === undefined)
      throw new NotExpressible(`compares with ${JSON.stringify(value)}, which is not a version`);
    const [major = '', minor = ''] = version.numbers;
    if (as === 'version' && major.length + minor.length > mostDigits)
      throw new NotExpressible(`compares with a version of more than ${mostDigits} digits: remove "as"`);
    return version;
  });
  // flagd logs an error for each element that is not a version.
  const isRead =
    as === 'version' ? [differs(it, null)] : [shared('fanion-text'), { in: [part(it, 0, 1), '0123456789'] }];
  return {
    inGo: all([...isRead, any(versions.map((version) => semVer(op, version)))]),
    elsewhere: all([shared('fanion-is-version'), any(versions.map((version) => keyTest(op, version)))]),
  };
}

/** Java orders only versions. There, pre-releases without digits have the order of their texts. */
function keyOrder(sign: string, key: string): Logic {
  const inJava: Logic = { sem_ver: [keyOfVersion, sign, key] };
  return { if: [shared('fanion-java'), inJava, { [sign]: [keyOfVersion, key] }] };
}

/** A comparison of keys, whose order is that of versions. */
function keyTest(op: string, version: Version): Logic {
  const { numbers } = version;
  const whole = versionKey(version);
  const begins = (count: number): Logic => {
    const beginning = keyBeginning + numbers.slice(0, count).map(numberKey).join('');
    return equals(part(keyOfVersion, 0, beginning.length), beginning);
  };
  switch (op) {
    case 'semver_eq':
      return equals(keyOfVersion, whole);
    case 'semver_same_major':
      return begins(1);
    case 'semver_same_minor':
      return begins(2);
    case 'semver_tilde':
      return all([keyOrder('>=', whole), begins(2)]);
    case 'semver_caret':
      return all([keyOrder('>=', whole), begins(fixedByCaret(numbers))]);
    default:
      return keyOrder(signOf(op), whole);
  }
}

const signOf = (op: string) => signs[op.slice('semver_'.length) as Order];

/** `^` keeps the numbers up to the first that is not 0. */
function fixedByCaret(numbers: readonly string[]): number {
  const first = numbers.findIndex((number) => number !== '0');
  return first === -1 ? numbers.length : first + 1;
}

/** A comparison by flagd's own operator. */
function semVer(op: string, { numbers, prerelease }: Version): Logic {
  const release = numbers.join('.');
  const whole = prerelease.length === 0 ? release : `${release}-${prerelease.join('.')}`;
  const is = (sign: string, version: string): Logic => ({ sem_ver: [it, sign, version] });
  // The major version, the minor version too, or all three numbers are the same.
  const same = (count: number): Logic =>
    count === 1 ? is('^', whole) : count === 2 ? is('~', whole) : is('<=', release);
  switch (op) {
    case 'semver_eq':
      return is('=', whole);
    case 'semver_same_major':
      return same(1);
    case 'semver_same_minor':
      return same(2);
    case 'semver_tilde':
      return all([is('>=', whole), same(2)]);
    case 'semver_caret':
      return all([is('>=', whole), same(fixedByCaret(numbers))]);
    default:
      return is(signOf(op), whole);
  }
}
