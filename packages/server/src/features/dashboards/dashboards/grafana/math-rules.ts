/** A part of a formula in PromQL; written so that it can be an operand. */
export interface Promql {
  readonly text: string;
  /** Scalars have no labels, and no function takes them. */
  readonly isScalar: boolean;
}

/** What a formula has that PromQL's answer lacks. */
export type Difference = 'labels' | 'nan';

interface Differences {
  add(difference: Difference): unknown;
}

/** Thrown for a formula that has no equal in PromQL. */
export class NoEqual extends Error {}

/** Some functions write their argument twice, so that formulas can grow. */
const longestWritten = 65_536;

/** @throws {NoEqual} beyond the length of a query */
export function promql(text: string, isScalar = false): Promql {
  if (text.length > longestWritten) throw new NoEqual();
  return { text, isScalar };
}

/** A name of a query, a number, a function, or an operator. */
const token =
  /\s*(?:\$\{([^}]+)\}|\$([A-Za-z]\w*)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([a-z_]+)|([<>=!]=|&&|\|\||\*\*|[-+*/%<>!()]))/y;

/** From those that bind least. Operators of one line bind from the left, also `**`. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

const SCALARS: Readonly<Record<string, string>> = { nan: 'NaN', inf: 'Inf', infn: '(-Inf)' };

/** Half a number rounds away from zero, where PromQL's `round` rounds up. */
const FUNCTIONS: Readonly<Record<string, (x: string) => string>> = {
  abs: (x) => `abs(${x})`,
  ceil: (x) => `ceil(${x})`,
  floor: (x) => `floor(${x})`,
  log: (x) => `ln(${x})`,
  round: (x) => `(sgn(${x}) * floor(abs(${x}) + 0.5))`,
  is_nan: (x) => `(${x} != bool ${x})`,
  is_inf: (x) => `(abs(${x}) == bool Inf)`,
  is_number: (x) => `((${x} - ${x}) == bool 0)`,
};

/**
 * A formula of Grafana's expressions of the type `math` in PromQL. Truth is 1, anything but 0 is true.
 * https://grafana.com/docs/grafana/latest/panels-visualizations/query-transform-data/expression-queries/#math
 * @param query the PromQL of a query by its name
 * @param differences gets what PromQL answers otherwise
 * @throws {NoEqual}
 */
export function mathInPromql(formula: string, query: (name: string) => Promql, differences: Differences): Promql {
  const tokens = tokensOf(formula);
  let at = 0;
  const accept = (wanted: readonly string[]): string | undefined => {
    const text = tokens[at]?.text;
    if (text === undefined || tokens[at]?.kind !== 'sign' || !wanted.includes(text)) return undefined;
    at++;
    return text;
  };

  const binary = (level: number): Promql => {
    const operators = LEVELS[level];
    if (operators === undefined) return operand();
    let left = binary(level + 1);
    for (let operator = accept(operators); operator !== undefined; operator = accept(operators))
      left = combined(operator, left, binary(level + 1), differences);
    return left;
  };
  const inParentheses = (): Promql => {
    if (accept(['(']) === undefined) throw new NoEqual();
    const inside = binary(0);
    if (accept([')']) === undefined) throw new NoEqual();
    return inside;
  };
  const operand = (): Promql => {
    if (accept(['-'])) return negated(operand());
    if (accept(['!'])) return truthOf('==', operand(), differences);
    if (tokens[at]?.kind === 'sign') return inParentheses();
    const next = tokens[at++];
    if (next === undefined) throw new NoEqual();
    if (next.kind === 'query') return query(next.text);
    if (next.kind === 'number') return promql(next.text, true);
    return called(next.text);
  };
  const called = (name: string): Promql => {
    const scalar = Object.hasOwn(SCALARS, name) ? SCALARS[name] : undefined;
    if (scalar !== undefined && accept(['(']) && accept([')'])) return promql(scalar, true);
    const written = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    const argument = inParentheses();
    if (written === undefined || argument.isScalar) throw new NoEqual();
    return promql(written(argument.text));
  };

  const whole = binary(0);
  if (at < tokens.length) throw new NoEqual();
  return whole;
}

interface Token {
  readonly kind: 'query' | 'number' | 'name' | 'sign';
  readonly text: string;
}

function tokensOf(formula: string): Token[] {
  const tokens: Token[] = [];
  const text = formula.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (found === null) throw new NoEqual();
    const [, braced, plain, number, name, sign = ''] = found;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (sign !== '') tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'query', text: braced ?? plain ?? '' });
  }
  return tokens;
}

function negated({ text, isScalar }: Promql): Promql {
  return promql(`(-${text})`, isScalar);
}

/** Whether a number is 0, or is not, as 1 or 0. */
function truthOf(operator: '==' | '!=', { text, isScalar }: Promql, differences: Differences): Promql {
  differences.add('nan');
  return promql(`(${text} ${operator} bool 0)`, isScalar);
}

function combined(operator: string, left: Promql, right: Promql, differences: Differences): Promql {
  const isScalar = left.isScalar && right.isScalar;
  if (!left.isScalar && !right.isScalar) differences.add('labels');
  if (operator === '&&' || operator === '||') {
    const [one, other] = [left, right].map((side) => truthOf('!=', side, differences).text);
    return promql(operator === '&&' ? `(${one} * ${other})` : `((${one} + ${other}) > bool 0)`, isScalar);
  }
  const isComparison = /[<>=]/.test(operator);
  if (isComparison) differences.add('nan');
  const inPromql = operator === '**' ? '^' : isComparison ? `${operator} bool` : operator;
  return promql(`(${left.text} ${inPromql} ${right.text})`, isScalar);
}
