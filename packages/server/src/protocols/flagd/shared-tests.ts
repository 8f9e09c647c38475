import { millisecondsOf, never } from './instants.ts';
import { all, any, differs, equals, isGo, isJava, it, joined, type Logic, not, oneOf, part, unit } from './logic.ts';
import { isDecimal, isVersion, versionOf } from './text-machines.ts';

/*
 * What the conditions of all flags share, as flagd's `$evaluators`. Evaluators replace references in the text of the configuration, so these
 * tests contain neither backslashes nor dollar signs.
 *
 * Evaluators disagree about conversions, and the one for JavaScript throws where a value cannot be converted. So each test first finds out the type.
 *
 * The evaluators for Go and Java check a configuration by flagd's schema, in a time that grows with every level of an expression. What many
 * flags contain is therefore shared, however small.
 */

/**
 * In JavaScript, whether an element has an inherited method, which only one type has: `var` is null for functions, and the default for
 * anything else. In other languages, always true, but Java cannot look for a name in a list.
 */
function hasMethod(name: string, ofValue: Logic): Logic {
  // Of a value of that type, the same expression gives null in JavaScript, and the default elsewhere.
  const example: Logic = { reduce: [[ofValue], { var: [`current.${name}`, '-'] }, 0] };
  return any([isJava, equals({ var: [name, '-'] }, example)]);
}

/** Python writes booleans with capitals. There, they equal 1 and 0. */
const textsOf = { true: ['true', 'True'], false: ['false', 'False'] } as const;

/** Whether an element that equals 1 or `true`, or 0 or `false`, is the boolean. */
function isBoolean(value: boolean): Logic {
  return { if: [isGo, equals(it, value), oneOf(joined(it), textsOf[`${value}`])] };
}

/** The evaluator for Go fails where it writes or adds a boolean or null. There, values of different types are never equal. */
const isNoBoolean = [differs(it, true), differs(it, false)];
const isTextInGo = all([...isNoBoolean, equals(joined(it), it)]);
const isNumberInGo = all([differs(it, null), ...isNoBoolean, equals({ '+': [it] }, it)]);

/** The evaluator for Java fails where it writes null. */
const isText: Logic = {
  if: [isGo, isTextInGo, all([differs(it, null), hasMethod('charAt', ''), equals(joined(it), it)])],
};
const isNumber: Logic = {
  if: [
    isGo,
    isNumberInGo,
    all([
      differs(it, null),
      hasMethod('toFixed', 0),
      not(oneOf(joined(it), [...textsOf.true, ...textsOf.false])),
      equals({ '-': [it, 0] }, it),
    ]),
  ],
};
const numberOf: Logic = { if: [isNumber, it, all([isText, isDecimal()]), { '+': [it] }, null] };

const instantOf: Logic = { if: [isNumber, it, isText, millisecondsOf, never] };

/** More digits than those of numbers with which versions are compared (`mostDigits`). */
const great = '9999999999999999';

/** The last six digits of a number. */
const lastDigits: Logic = { '%': [it, 1e6] };
/** In Java, the text of a number of 10 million or more has an exponent. What fails gives callers their default. */
const longNumberText: Logic = {
  if: [
    all([{ '<': [it, 1e13] }, equals({ '%': [it, 1] }, 0)]),
    joined({ '/': [{ '-': [it, lastDigits] }, 1e6] }, part(joined({ '+': [lastDigits, 1e6] }), 1)),
    part('', ''),
  ],
};

/**
 * A number as the text of a version. Evaluators write those with more than 15 digits differently, so a greater number takes the place of the digits
 * after the point.
 */
const numberText: Logic = {
  if: [
    { '<': [it, 0] },
    '',
    { '>=': [it, 1e21] },
    '',
    { '>=': [it, 1e15] },
    great,
    all([isJava, { '>=': [it, 1e7] }]),
    longNumberText,
    equals({ '+': [joined({ '+': [it, 0] })] }, it),
    joined({ '+': [it, 0] }),
    // Its minor version would begin with 0.
    { '<': [{ '%': [it, 1] }, 0.1] },
    '',
    joined({ '-': [it, { '%': [it, 1] }] }, `.${great}`),
  ],
};
const withoutV: Logic = { if: [oneOf(part(it, 0, 1), ['v', 'V']), part(it, 1), it] };

/** Whether the context has a unit. Only texts begin with a text. */
const hasUnit = all([{ starts_with: [unit, ''] }, differs(unit, '')]);

/**
 * Whether the evaluator divides units by the hash `flagd`. It puts this text into this place of a thousand, and other hashes do not: versions
 * without whole buckets and those that hash another form of the unit.
 */
const hashesAsFlagd = equals({ fractional: [joined('fanion'), ['no', 325], ['yes', 1], ['no', 674]] }, 'yes');

const tests = {
  'fanion-go': isGo,
  'fanion-java': isJava,
  'fanion-hash': hashesAsFlagd,
  'fanion-unit': hasUnit,
  'fanion-true': isBoolean(true),
  'fanion-false': isBoolean(false),
  'fanion-text': isText,
  'fanion-number': isNumber,
  'fanion-number-of': numberOf,
  'fanion-instant-of': instantOf,
  'fanion-is-version': isVersion,
  'fanion-version': versionOf({ if: [isText, it, ''] }),
  'fanion-version-of': versionOf({ if: [isText, withoutV, isNumber, numberText, ''] }),
} as const satisfies Readonly<Record<string, Logic>>;

/** The configuration's `$evaluators`. */
export const sharedTests: Readonly<Record<string, Logic>> = tests;

/** A test of an element, or of the evaluator. */
export const shared = (name: keyof typeof tests): Logic => ({ $ref: name });

/** What evaluators would replace in a variant. */
export function namesSharedTest(json: string): boolean {
  return json.includes('{"$ref":"fanion-');
}
