import { KEYWORDS } from '../grammar/keywords.ts';
import { METRIC_FIELDS } from '../schema/metrics.ts';
import { type Matcher, NoEqual, type Selector } from './ast.ts';
import { checkPattern } from './pattern.ts';

const reserved = new Set([...Object.keys(METRIC_FIELDS), ...KEYWORDS, 'window', 'bucket', 'rows']);
/** Columns of the translation. */
const own = new Set(['value', 'series', 'one', 'rows']);

/** How OQL reads a label: an attribute of the series. */
export function labelField(label: string): string {
  if (own.has(label)) throw new NoEqual(`a label is called ${label}, like a column of the translation`);
  return reserved.has(label) ? `attr.${label}` : label;
}

/** `metric x | where a == "b"` */
export function sourceStages({ metric, matchers, offsetSeconds }: Selector): string[] {
  const source = `metric ${/^[A-Za-z_]\w*$/.test(metric) ? metric : JSON.stringify(metric)}`;
  if (offsetSeconds < 0) throw new NoEqual('a negative offset looks into the future');
  return [
    source,
    ...(matchers.length > 0 ? [`where ${matchers.map(condition).join(' and ')}`] : []),
    ...(offsetSeconds > 0 ? [`offset ${durationText(offsetSeconds)}`] : []),
  ];
}

/** A missing label is an empty one, and patterns match the whole label. */
function condition({ label, op, value }: Matcher): string {
  const field = labelField(label);
  const text = JSON.stringify(value);
  switch (op) {
    case '=':
      return value === '' ? `(not ${field} exists or ${field} == "")` : `${field} == ${text}`;
    case '!=':
      return value === '' ? `(${field} exists and ${field} != "")` : `${field} != ${text}`;
    default: {
      checkPattern(value);
      const pattern = JSON.stringify(`^(?s:${value})$`);
      return op === '=~' && matchesNoEmptyText(value)
        ? `${field} =~ ${pattern}`
        : `coalesce(string(attr.${label}), "") ${op} ${pattern}`;
    }
  }
}

/** Whether each alternative begins with a required letter or digit, or is `.+`. */
function matchesNoEmptyText(pattern: string): boolean {
  return pattern.split('|').every((one) => one === '.+' || /^[A-Za-z0-9_/-](?![*?{])[^()[\]\\]*$/.test(one));
}

/** Whole milliseconds, as OQL has them. */
export function durationText(seconds: number): string {
  const ms = Math.round(seconds * 1_000);
  if (Math.abs(ms / 1_000 - seconds) > 1e-9 || ms <= 0) throw new NoEqual(`OQL has no duration of ${seconds} s`);
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const)
    if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}
