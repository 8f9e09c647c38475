import type { Aggregate, Binary, Expression, TimeShift, VectorMatching, VectorSelector } from './ast.ts';
import { type LabelMatcher, METRIC_NAME } from './labels.ts';
import { decimalText } from './numbers.ts';

/** Prometheus' text of an expression on one line, as of `promql/parser/printer.go`. */
export function formatPromql(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return expression.isDuration
        ? `${expression.value < 0 ? '-' : ''}${durationText(Math.abs(expression.value) * 1_000)}`
        : decimalText(expression.value);
    case 'string':
      return JSON.stringify(expression.value);
    case 'parentheses':
      return `(${formatPromql(expression.of)})`;
    case 'unary':
      return expression.op + formatPromql(expression.of);
    case 'selector':
      return selectorText(expression) + shiftText(expression.shift);
    case 'subquery': {
      const { of, rangeMs, stepMs, shift } = expression;
      const step = stepMs === undefined ? '' : durationText(stepMs);
      return `${formatPromql(of)}[${durationText(rangeMs)}:${step}]${shiftText(shift)}`;
    }
    case 'call':
      return `${expression.fn}(${expression.args.map(formatPromql).join(', ')})`;
    case 'aggregate':
      return aggregateText(expression);
    case 'binary':
      return binaryText(expression);
  }
}

function selectorText({ metric, matchers, rangeMs }: VectorSelector): string {
  const texts = matchers.map(matcherText).sort();
  const braces = texts.length > 0 || metric === undefined ? `{${texts.join(',')}}` : '';
  const range = rangeMs === undefined ? '' : `[${durationText(rangeMs)}]`;
  return `${metric ?? ''}${braces}${range}`;
}

function matcherText({ name, op, value }: LabelMatcher): string {
  return `${labelText(name)}${op}${JSON.stringify(value)}`;
}

/** Names beyond ASCII letters, digits and underscores are in quotes. */
function labelText(name: string): string {
  return name === METRIC_NAME || /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function shiftText({ at, offsetMs }: TimeShift): string {
  const moment = at === undefined ? '' : typeof at === 'number' ? ` @ ${(at / 1_000).toFixed(3)}` : ` @ ${at}()`;
  if (offsetMs === 0) return moment;
  return `${moment} offset ${offsetMs < 0 ? '-' : ''}${durationText(Math.abs(offsetMs))}`;
}

const labelsText = (labels: readonly string[]) => `(${labels.map(labelText).join(', ')})`;

function aggregateText({ op, of, parameter, grouping }: Aggregate): string {
  const by =
    grouping === undefined || (grouping.mode === 'by' && grouping.labels.length === 0)
      ? ''
      : ` ${grouping.mode} ${labelsText(grouping.labels)} `;
  const args = parameter === undefined ? [of] : [parameter, of];
  return `${op}${by}(${args.map(formatPromql).join(', ')})`;
}

function binaryText({ op, bool, matching, left, right }: Binary): string {
  const modifiers = `${bool ? ' bool' : ''}${matching === undefined ? '' : matchingText(matching)}`;
  return `${formatPromql(left)} ${op}${modifiers} ${formatPromql(right)}`;
}

function matchingText({ mode, labels, group }: VectorMatching): string {
  const isWritten = labels.length > 0 || mode === 'on' || group !== undefined;
  const by = isWritten ? ` ${mode} ${labelsText(labels)}` : '';
  return group === undefined ? by : `${by} group_${group.side} ${labelsText(group.include)}`;
}

const units: readonly (readonly [string, number, 'whole' | 'part'])[] = [
  ['y', 31_536_000_000, 'whole'],
  ['w', 604_800_000, 'whole'],
  ['d', 86_400_000, 'part'],
  ['h', 3_600_000, 'part'],
  ['m', 60_000, 'part'],
  ['s', 1_000, 'part'],
  ['ms', 1, 'part'],
];

/** `1h30m`; years and weeks only where nothing else is left. */
export function durationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  let rest = Math.round(milliseconds);
  let text = '';
  for (const [unit, size, use] of units) {
    if (use === 'whole' && rest % size !== 0) continue;
    const amount = Math.floor(rest / size);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * size;
  }
  return text;
}
