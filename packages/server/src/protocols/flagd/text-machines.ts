import { all, equals, isLonger, it, joined, type Logic, not, oneOf, part } from './logic.ts';

/*
 * JsonLogic has no patterns. In their place, `reduce` reads a text character by character: a table says which state follows a state and a class of
 * characters. Evaluators of all languages have `reduce`, `substr`, `cat` and `in`.
 */

const accumulator: Logic = { var: 'accumulator' };
const current: Logic = { var: 'current' };
/** What nothing has been read from. In Go, `reduce` begins with a text, and every result becomes one. */
const none = '-';
const digits = '0123456789';

/**
 * Repeats a step until nothing is left, at most `count` × `atOnce` + 2 times. What it begins with is the first element: in Python, `reduce` does not
 * evaluate its third argument, and in JavaScript, a `reduce` over constants is evaluated only once.
 */
function repeated(
  begin: Logic,
  step: Logic,
  isDone: Logic,
  { count, atOnce }: Readonly<Record<'count' | 'atOnce', number>>,
): Logic {
  const next = (then: Logic): Logic => ({ if: [equals(accumulator, none), current, then] });
  const times = (length: number) => new Array<number>(length).fill(1);
  const rounds: Logic = { if: [isDone, [], equals(current, atOnce), times(atOnce), [1, 1]] };
  const round: Logic = { reduce: [{ merge: [[accumulator], rounds] }, next(step), none] };
  return { reduce: [{ merge: [[begin], times(count).fill(atOnce), 1] }, next(round), none] };
}

/** The number of the first class that contains a character; one more than the last for others. */
const classOf = (char: Logic, classes: readonly string[]): Logic => ({
  if: [
    ...classes.flatMap((chars, i) => [chars.length === 1 ? equals(char, chars) : { in: [char, chars] }, i]),
    classes.length,
  ],
});

/** The entry of a table for a state, which is the beginning of an entry, and a class. */
function entryOf(table: string, length: number, state: Logic, classes: Logic, columns: number): Logic {
  return part(table, { '*': [{ '+': [{ '*': [state, columns] }, classes] }, length] }, length);
}

const numberClasses = [digits, '+-', '.', 'eE'];
/** By state, the next state for each class, and for other characters. */
const numberStates: Readonly<Record<string, string>> = {
  start: 'whole sign point x x',
  sign: 'whole x point x x',
  whole: 'whole x fraction exponent x',
  point: 'decimals x x x x',
  fraction: 'decimals x x exponent x',
  decimals: 'decimals x x exponent x',
  exponent: 'one minus x x x',
  minus: 'one x x x x',
  one: 'two x x x x',
  two: 'three x x x x',
  three: 'x x x x x',
  x: 'x x x x x',
};
const numberEnds = ['whole', 'fraction', 'decimals', 'one', 'two', 'three'];
/** Longest text that the engine reads as a number. */
const mostNumberLength = 64;

/** Whether a text is a decimal number, as the engine reads one. The state is the beginning of what is left. */
export function isDecimal(): Logic {
  const codes = codesOf(numberStates);
  const table = Object.values(numberStates)
    .flatMap((row) => row.split(' ').map(codes))
    .join('');
  const first = part(accumulator, 2, 1);
  const next = entryOf(table, 2, part(accumulator, 0, 2), classOf(first, numberClasses), numberClasses.length + 1);
  const isDone = equals(first, '');
  const step: Logic = { if: [isDone, accumulator, joined(next, part(accumulator, 3))] };
  const end = repeated(joined(codes('start'), it), step, isDone, { count: 8, atOnce: 8 });
  // In Go, `cat` removes white space at the end.
  return all([
    not(isLonger(it, mostNumberLength)),
    oneOf(end, numberEnds.map(codes)),
    { in: [part(it, -1), `${digits}.`] },
  ]);
}

/** Two digits for each state. */
function codesOf(states: Readonly<Record<string, string>>): (state: string) => string {
  const names = Object.keys(states);
  return (state) => String(names.indexOf(state)).padStart(2, '0');
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Ends a text, so that steps see the end, and one follows the last character. */
const endOfText = '|';
const versionClasses = ['0', '123456789', letters, '-', '.', '+', endOfText];
/**
 * By state, the next state and what to do for each class. `+` adds the character to the current number or identifier. `n` and `i` end a number and an
 * identifier. Digits after them are the part of `endings` that follows: minor and patch versions of 0 that are left out, and the mark of a release.
 */
const versionStates: Readonly<Record<string, string>> = {
  major: 'zero+ digits+ x x x x x',
  zero: 'x x x pre:n06 minor:n pluses:n07 end:n07',
  digits: 'digits+ digits+ x pre:n06 minor:n pluses:n07 end:n07',
  minor: 'zero2+ digits2+ x x x x x',
  zero2: 'x x x pre:n33 patch:n pluses:n34 end:n34',
  digits2: 'digits2+ digits2+ x pre:n33 patch:n pluses:n34 end:n34',
  patch: 'zero3+ digits3+ x x x x x',
  zero3: 'x x x pre:n x pluses:n61 end:n61',
  digits3: 'digits3+ digits3+ x pre:n x pluses:n61 end:n61',
  pre: 'prezero+ predigits+ id+ id+ x x x',
  prezero: 'zeros+ zeros+ id+ id+ pre:n pluses:n end:n',
  predigits: 'predigits+ predigits+ id+ id+ pre:n pluses:n end:n',
  // A numeric identifier does not begin with 0.
  zeros: 'zeros+ zeros+ id+ id+ x x x',
  id: 'id+ id+ id+ id+ pre:i pluses:i end:i',
  pluses: 'build build build build x x x',
  build: 'build build build build pluses x end',
  end: 'x x x x x x done',
  done: 'x x x x x x x',
  x: 'x x x x x x x',
};
const endings = 'ANCANCN';
const entryLength = 5;
/** Keys of versions are pre-releases of 0.0.0, since Java orders no other texts (`keyTest`). */
export const keyBeginning = '0.0.0-';
/**
 * They consist of letters and dashes. In their order, with what they stand for: `-` the end of an identifier, `A` the beginning of a number, `B` a
 * dash, `C` to `L` digits, `M` a letter that follows, and `N` a digit more, or a release.
 */
const keyDigits = 'CDEFGHIJKL';
/** Longest text that the engine reads as a version. */
const mostVersionLength = 256;

const versionCodes = codesOf(versionStates);
function versionEntry(to: string): string {
  const [, state = '', action = '', ending = ''] = /^([a-z]+\d?)(?::?([+ni])(\d\d)?)?$/.exec(to) ?? [];
  return `${versionCodes(state)}${action || '-'}${ending || '00'}`;
}

/** Whether an element that `versionOf` read is a version. */
export const isVersion = equals({ var: '0' }, versionEntry('done'));
/** The order of these texts is that of versions (`versionKey`). */
export const keyOfVersion: Logic = { var: '2' };

/** Reads a text as a version, for `isVersion` and `keyOfVersion`. */
export function versionOf(text: Logic): Logic {
  const [entry, rest, key, unary, read, char] = [0, 1, 2, 3, 4, 5].map(
    (at): Logic => ({ var: `accumulator.${at}` }),
  ) as [Logic, Logic, Logic, Logic, Logic, Logic];
  const isAction = (action: string) => equals(part(entry, 2, 1), action);
  const table = Object.values(versionStates)
    .map((row) => [...row.split(' '), 'x'].map(versionEntry).join(''))
    .join('');
  const next = part(rest, 0, 1);
  const ended: Logic = { if: [isAction('n'), joined('A', unary, read), isAction('i'), joined(read, '-'), ''] };
  const keyOfChar: Logic = {
    if: [{ in: [char, digits] }, part(keyDigits, { '+': [char] }, 1), equals(char, '-'), 'B', joined('M', char)],
  };
  const isAdded = isAction('+');
  const step: Logic = [
    entryOf(table, entryLength, part(entry, 0, 2), classOf(next, versionClasses), versionClasses.length + 1),
    part(rest, 1),
    joined(key, ended, part(endings, { '+': [part(entry, 3, 1)] }, { '+': [part(entry, 4, 1)] })),
    { if: [isAdded, joined(unary, 'N'), ''] },
    { if: [isAdded, joined(read, keyOfChar), ''] },
    next,
  ];
  const isDone = equals(rest, '');
  const begin: Logic = [versionEntry('major'), joined(text, endOfText + endOfText), keyBeginning, '', '', ''];
  return repeated(begin, { if: [isDone, accumulator, step] }, isDone, { count: mostVersionLength / 16, atOnce: 16 });
}

function textKey(text: string): string {
  const keyOfChar = (char: string) => (char === '-' ? 'B' : (keyDigits[Number(char)] ?? `M${char}`));
  return [...text].map(keyOfChar).join('');
}

/** The key of a number of a version, or of a numeric identifier: the longer is the greater. */
export const numberKey = (number: string) => `A${'N'.repeat(number.length)}${textKey(number)}`;

/** The key of a version: its numbers, and the mark of a release, or the identifiers of a pre-release. */
export function versionKey({
  numbers,
  prerelease,
}: {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}): string {
  const identifiers = prerelease.map((identifier) =>
    /^\d+$/.test(identifier) ? numberKey(identifier) : `${textKey(identifier)}-`,
  );
  return [keyBeginning, ...numbers.map(numberKey), ...(prerelease.length === 0 ? ['N'] : identifiers)].join('');
}
