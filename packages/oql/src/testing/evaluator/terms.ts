import fc from 'fast-check';
import { printString } from '../../syntax/literals.ts';
import { type Cell, type Cells, cellOf, compares, isNumeric, Undetermined, whole } from './cells.ts';

/** An expression as text, with what it means for a row. */
export interface Term {
  readonly text: string;
  readonly of: (row: Cells) => Cell;
}

/** The static type of a column: `any` for attributes. */
export type Kind = 'int' | 'float' | 'string' | 'bool' | 'any';
export interface Column {
  readonly name: string;
  readonly kind: Kind;
}

const number = (cell: Cell): bigint | number | null => (isNumeric(cell) ? cell : null);
const asText = (cell: Cell) => (typeof cell === 'string' ? cell : null);
const asFloat = (cell: Cell) => (isNumeric(cell) ? Number(cell) : null);

const paren = ({ text }: Term) => `(${text})`;
/** A function that is null if an argument is. */
const strict =
  (of: (...cells: NonNullable<Cell>[]) => Cell) =>
  (...cells: Cell[]): Cell => {
    const known = cells.filter((cell): cell is NonNullable<Cell> => cell !== null);
    return known.length < cells.length ? null : of(...known);
  };

function calculated(operator: string, a: Cell, b: Cell): Cell {
  if (a === null || b === null) return null;
  if (typeof a === 'bigint' && typeof b === 'bigint' && operator !== '/') {
    if (operator === '+') return whole(a + b);
    if (operator === '-') return whole(a - b);
    if (operator === '*') return whole(a * b);
    return b === 0n ? null : a % b;
  }
  const [x, y] = [Number(a), Number(b)];
  if (operator === '+') return x + y;
  if (operator === '-') return x - y;
  if (operator === '*') return x * y;
  if (y === 0) return null;
  // The engine has no remainder of a division by infinity.
  if (operator === '%' && !Number.isFinite(y)) throw new Undetermined();
  return operator === '/' ? x / y : x % y;
}

export function columnTerms(columns: readonly Column[], ...kinds: readonly Kind[]): readonly Term[] {
  return columns
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ name }) => ({ text: name, of: (row) => cellOf(row, name) }));
}

const oneOf = (terms: readonly Term[]) => (terms.length > 0 ? [fc.constantFrom(...terms)] : []);
const literals = ['', 'a', 'b', 'AB', 'ä', 'a.b*c', '50%', "it's", 'x\\y', '"q"', '7', 'true', ' ', '日'];
const textLiteral: fc.Arbitrary<Term> = fc
  .constantFrom(...literals)
  .map((value) => ({ text: printString(value), of: () => value }));
const intLiteral: fc.Arbitrary<Term> = fc
  .oneof(
    { weight: 8, arbitrary: fc.bigInt(0n, 9n) },
    { weight: 1, arbitrary: fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 62n) },
  )
  .map((value) => ({ text: String(value), of: () => value }));
const floatLiteral: fc.Arbitrary<Term> = fc
  .constantFrom(0.5, 1.5, 2.25, 7.5)
  .map((value) => ({ text: String(value), of: () => value }));

function call(name: string, args: readonly Term[], of: (...cells: Cell[]) => Cell): Term {
  return {
    text: `${name}(${args.map(({ text }) => text).join(', ')})`,
    of: (row) => of(...args.map((arg) => arg.of(row))),
  };
}

function largest(sign: number) {
  return strict((...cells) => {
    const numbers = cells.map((cell) => number(cell) ?? 0);
    return numbers.reduce((a, b) => (sign * Number(b > a ? 1 : b < a ? -1 : 0) > 0 ? b : a));
  });
}

function whenInt(cell: Cell): Cell {
  if (typeof cell === 'bigint' || cell === null) return cell;
  if (typeof cell === 'boolean') return cell ? 1n : 0n;
  if (typeof cell === 'string') return /^-?\d+$/.test(cell) ? BigInt(cell) : null;
  if (typeof cell !== 'number' || !Number.isFinite(cell)) return null;
  const value = BigInt(Math.trunc(cell));
  return value > 2n ** 63n - 1n || value < -(2n ** 63n) ? null : value;
}

function whenFloat(cell: Cell): Cell {
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  if (typeof cell === 'string') return /^-?(\d+\.?\d*|\.\d+)$/.test(cell) ? Number(cell) : null;
  return asFloat(cell);
}

/** Integers; `any` never is one, so attributes are converted by `int(…)`. */
function intTerm(columns: readonly Column[], depth: number): fc.Arbitrary<Term> {
  const plain = fc.oneof(
    intLiteral,
    ...oneOf(columnTerms(columns, 'int')),
    ...oneOf(columnTerms(columns, 'any', 'float', 'string').map((arg) => call('int', [arg], whenInt))),
  );
  if (depth <= 0) return plain;
  const of = intTerm(columns, depth - 1);
  return fc.oneof(
    { weight: 2, arbitrary: plain },
    fc.tuple(of, fc.constantFrom('+', '-', '*', '%'), of).map(
      ([a, operator, b]): Term => ({
        text: `${paren(a)} ${operator} ${paren(b)}`,
        of: (row) => calculated(operator, a.of(row), b.of(row)),
      }),
    ),
    textTerm(columns, depth - 1).map((arg) =>
      call(
        'length',
        [arg],
        strict((text) => BigInt([...String(text)].length)),
      ),
    ),
    fc.tuple(textTerm(columns, depth - 1), textLiteral).map((args) =>
      call(
        'position',
        args,
        strict((text, sought) => {
          const at = String(text).indexOf(String(sought));
          return at < 0 ? -1n : BigInt([...String(text).slice(0, at)].length);
        }),
      ),
    ),
    of.map((arg) =>
      call(
        'abs',
        [arg],
        strict((cell) => whole(BigInt(cell as bigint) < 0n ? -(cell as bigint) : (cell as bigint))),
      ),
    ),
    fc.array(of, { minLength: 2, maxLength: 3 }).map((args) => call('largest', args, largest(1))),
    fc.array(of, { minLength: 2, maxLength: 3 }).map((args) => call('smallest', args, largest(-1))),
    fc
      .tuple(conditionTerm(columns, depth - 1), of, of)
      .map(([test, a, b]) => call('if', [test, a, b], (holds, then, otherwise) => (holds === true ? then : otherwise))),
    fc
      .array(of, { minLength: 2, maxLength: 3 })
      .map((args) => call('coalesce', args, (...cells) => cells.find((cell) => cell !== null) ?? null)),
  );
}

function floatTerm(columns: readonly Column[], depth: number): fc.Arbitrary<Term> {
  const plain = fc.oneof(
    floatLiteral,
    ...oneOf(columnTerms(columns, 'float')),
    ...oneOf(columnTerms(columns, 'any', 'int', 'string').map((arg) => call('float', [arg], whenFloat))),
  );
  if (depth <= 0) return plain;
  const of = floatTerm(columns, depth - 1);
  const number = fc.oneof(of, intTerm(columns, depth - 1), ...oneOf(numericAny(columns)));
  const pair = fc.oneof(
    fc.tuple(of, fc.constantFrom('+', '-', '*', '/', '%'), number),
    fc.tuple(number, fc.constantFrom('+', '-', '*', '/', '%'), of),
    fc.tuple(number, fc.constant('/'), number),
  );
  return fc.oneof(
    { weight: 2, arbitrary: plain },
    pair.map(
      ([a, operator, b]): Term => ({
        text: `${paren(a)} ${operator} ${paren(b)}`,
        of: (row) => {
          const [x, y] = [a.of(row), b.of(row)];
          if (operator === '/') return calculated('/', x, y);
          return calculated(operator, asFloat(x), asFloat(y));
        },
      }),
    ),
    fc.tuple(fc.constantFrom('floor', 'ceil', 'trunc'), number).map(([name, arg]) =>
      call(
        name,
        [arg],
        strict((cell) => (name === 'floor' ? Math.floor : name === 'ceil' ? Math.ceil : Math.trunc)(Number(cell))),
      ),
    ),
    number.map((arg) =>
      call(
        'sqrt',
        [arg],
        strict((cell) => (Number(cell) < 0 ? null : Math.sqrt(Number(cell)))),
      ),
    ),
    fc.tuple(of, of, of).map((args) =>
      call(
        'clamp',
        args,
        strict((value, low, high) => (largest(-1) as (...c: Cell[]) => Cell)(largest(1)(value, low), high)),
      ),
    ),
    fc
      .tuple(conditionTerm(columns, depth - 1), of, number)
      .map(([test, a, b]) =>
        call('if', [test, a, b], (holds, then, otherwise) => asFloat(holds === true ? then : otherwise)),
      ),
    fc.tuple(of, number).map((args) => call('coalesce', args, (a, b) => asFloat(a === null ? b : a))),
  );
}

/** An attribute beside a number is read as a number. */
function numericAny(columns: readonly Column[]): readonly Term[] {
  return columnTerms(columns, 'any').map(({ text, of }) => ({ text, of: (row) => number(of(row)) }));
}

function textTerm(columns: readonly Column[], depth: number): fc.Arbitrary<Term> {
  const plain = fc.oneof(
    textLiteral,
    ...oneOf(columnTerms(columns, 'string')),
    ...oneOf(
      columnTerms(columns, 'any').map(({ text, of }) =>
        call('lower', [{ text, of: (row) => asText(of(row)) }], strict(lower)),
      ),
    ),
  );
  if (depth <= 0) return plain;
  const of = textTerm(columns, depth - 1);
  return fc.oneof(
    { weight: 2, arbitrary: plain },
    of.map((arg) =>
      call(
        'upper',
        [arg],
        strict((text) => String(text).toUpperCase()),
      ),
    ),
    of.map((arg) =>
      call(
        'trim',
        [arg],
        strict((text) => String(text).replace(/^ +| +$/g, '')),
      ),
    ),
    of.map((arg) =>
      call(
        'reverse',
        [arg],
        strict((text) => [...String(text)].reverse().join('')),
      ),
    ),
    fc.tuple(of, fc.oneof(of, intTerm(columns, depth - 1))).map((args) =>
      call(
        'concat',
        args,
        strict((a, b) => `${a}${b}`),
      ),
    ),
    fc.tuple(of, fc.nat(3), fc.nat(3)).map(([text, from, length]) =>
      call(
        'substring',
        [text, literal(from), literal(length)],
        strict((cell) => [...String(cell)].slice(from, from + length).join('')),
      ),
    ),
    fc.tuple(of, fc.constantFrom('a', '.', 'ä', '\\'), fc.constantFrom('', '<>', '$1', '\\0')).map(([text, what, by]) =>
      call(
        'replace',
        [text, quoted(what), quoted(by)],
        strict((cell) => String(cell).split(what).join(by)),
      ),
    ),
    fc.tuple(of, fc.constantFrom('.', 'b', ' '), fc.integer({ min: -2, max: 2 })).map(([text, by, at]) =>
      call(
        'split_part',
        [text, quoted(by), literal(at)],
        strict((cell) => String(cell).split(by).at(at) ?? null),
      ),
    ),
    fc
      .tuple(conditionTerm(columns, depth - 1), of, of)
      .map(([test, a, b]) => call('if', [test, a, b], (holds, then, otherwise) => (holds === true ? then : otherwise))),
    fc.tuple(of, of).map((args) => call('coalesce', args, (a, b) => a ?? b)),
  );
}

const lower = (cell: Cell) => String(cell).toLowerCase();
const literal = (value: number): Term => ({ text: String(value), of: () => BigInt(value) });
const quoted = (value: string): Term => ({ text: printString(value), of: () => value });
const ORDERINGS = ['==', '!=', '<', '<=', '>', '>='];
const ascii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

export function conditionTerm(columns: readonly Column[], depth: number): fc.Arbitrary<Term> {
  const text = textTerm(columns, 0);
  const attributes = columnTerms(columns, 'any');
  const compared = (a: Term, operator: string, b: Term, read: (cell: Cell) => Cell = (cell) => cell): Term => ({
    text: `${paren(a)} ${operator} ${paren(b)}`,
    of: (row) => compares(operator, read(a.of(row)), read(b.of(row))),
  });
  const operator = fc.constantFrom(...ORDERINGS);
  const searched = fc.oneof(text, ...oneOf(attributes.map(({ text, of }) => ({ text, of: (row) => asText(of(row)) }))));
  const plain = fc.oneof(
    fc.tuple(intTerm(columns, depth), operator, intTerm(columns, 0)).map(([a, by, b]) => compared(a, by, b)),
    fc.tuple(floatTerm(columns, depth), operator, floatTerm(columns, 0)).map(([a, by, b]) => compared(a, by, b)),
    fc.tuple(intTerm(columns, depth), operator, floatTerm(columns, 0)).map(([a, by, b]) => compared(a, by, b)),
    fc.tuple(textTerm(columns, depth), operator, text).map(([a, by, b]) => compared(a, by, b)),
    ...(attributes.length > 0
      ? [
          fc.tuple(fc.constantFrom(...attributes), operator, fc.oneof(intLiteral, floatLiteral, textLiteral)).map(
            ([a, by, b]): Term => ({
              text: `${a.text} ${by} ${b.text}`,
              of: (row) => compares(by, a.of(row), b.of(row)),
            }),
          ),
          fc.tuple(fc.constantFrom(...attributes), fc.constantFrom('==', '!='), fc.boolean()).map(
            ([a, by, b]): Term => ({
              text: `${a.text} ${by} ${b}`,
              of: (row) => compares(by, a.of(row), b),
            }),
          ),
          fc
            .tuple(
              fc.constantFrom(...attributes),
              fc.array(fc.oneof(intLiteral, floatLiteral, textLiteral), { minLength: 1, maxLength: 3 }),
              fc.boolean(),
            )
            .map(
              ([a, list, negated]): Term => ({
                text: `${a.text} ${negated ? 'not ' : ''}in (${list.map((one) => one.text).join(', ')})`,
                of: (row) => list.some((one) => compares('==', a.of(row), one.of(row))) !== negated,
              }),
            ),
          fc
            .constantFrom(...attributes)
            .map((a): Term => ({ text: `${a.text} exists`, of: (row) => a.of(row) !== null })),
          // Alone, an attribute is a value rather than a condition.
          fc
            .constantFrom(...attributes)
            .map((a): Term => ({ text: `(${a.text} or false)`, of: (row) => a.of(row) === true })),
        ]
      : []),
    fc.tuple(intTerm(columns, 0), fc.array(intLiteral, { minLength: 1, maxLength: 3 })).map(
      ([a, list]): Term => ({
        text: `${paren(a)} in (${list.map((one) => one.text).join(', ')})`,
        of: (row) => list.some((one) => compares('==', a.of(row), one.of(row))),
      }),
    ),
    fc.tuple(fc.oneof(intTerm(columns, 0), floatTerm(columns, 0)), intLiteral, floatLiteral).map(
      ([a, low, high]): Term => ({
        text: `${paren(a)} between ${low.text} .. ${high.text}`,
        of: (row) => compares('>=', a.of(row), low.of(row)) && compares('<=', a.of(row), high.of(row)),
      }),
    ),
    fc.tuple(searched, fc.constantFrom(...literals)).map(
      ([a, sought]): Term => ({
        text: `${paren(a)} contains ${printString(sought)}`,
        of: (row) => ascii(String(a.of(row) ?? '')).includes(ascii(sought)),
      }),
    ),
    fc.tuple(searched, fc.constantFrom(...literals)).map(
      ([a, sought]): Term => ({
        text: `${paren(a)} startswith ${printString(sought)}`,
        of: (row) => ascii(String(a.of(row) ?? '')).startsWith(ascii(sought)),
      }),
    ),
    fc.tuple(searched, fc.constantFrom(...literals), fc.boolean()).map(
      ([a, sought, negated]): Term => ({
        text: `${paren(a)} ${negated ? '!~' : '=~'} ${printString(escaped(sought))}`,
        of: (row) => String(a.of(row) ?? '').includes(sought) !== negated,
      }),
    ),
    ...oneOf(columnTerms(columns, 'bool')),
  );
  if (depth <= 0) return plain;
  const of = conditionTerm(columns, depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    of.map((a): Term => ({ text: `not ${paren(a)}`, of: (row) => a.of(row) !== true })),
    fc.tuple(of, fc.constantFrom('and', 'or'), of).map(
      ([a, by, b]): Term => ({
        text: `${paren(a)} ${by} ${paren(b)}`,
        of: (row) => {
          const [one, other] = [a.of(row) === true, b.of(row) === true];
          return by === 'and' ? one && other : one || other;
        },
      }),
    ),
  );
}

export function termOf(kind: Kind, columns: readonly Column[], depth: number): fc.Arbitrary<Term> | undefined {
  switch (kind) {
    case 'int':
      return intTerm(columns, depth);
    case 'float':
      return floatTerm(columns, depth);
    case 'string':
      return textTerm(columns, depth);
    case 'bool':
      return conditionTerm(columns, depth);
    case 'any': {
      const terms = columnTerms(columns, 'any');
      return terms.length > 0 ? fc.constantFrom(...terms) : undefined;
    }
  }
}
