/**
 * Names of metrics and labels as OpenTelemetry's "Prometheus and OpenMetrics compatibility" gives them, with the suffixes of
 * Prometheus' own OTLP receiver (`prometheus/otlptranslator`, Apache-2.0).
 */

export type Kind = 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary';

/** What series of one metric have in common. */
export interface Family {
  readonly metric: string;
  readonly kind: Kind;
  readonly isDelta: boolean;
  readonly isMonotonic: boolean;
  readonly unit: string;
  /** Sent by remote write: its name and labels are Prometheus' own. */
  readonly isWritten: boolean;
  /** A histogram that may decrease: remote write marked it as a gauge, and so it is stored without a temporality. */
  readonly isGauge: boolean;
}

/** The series of Prometheus that one series of a family becomes. */
export type Component = 'value' | 'bucket' | 'sum' | 'count' | 'quantile' | 'native';

const componentsOf: Readonly<Record<Kind, readonly Component[]>> = {
  gauge: ['value'],
  sum: ['value'],
  histogram: ['bucket', 'sum', 'count'],
  exponential_histogram: ['native'],
  summary: ['quantile', 'sum', 'count'],
};

/** A series name of a family. */
export interface FamilyName {
  readonly name: string;
  readonly component: Component;
}

const suffixOf: Readonly<Record<Component, string>> = {
  value: '',
  bucket: '_bucket',
  sum: '_sum',
  count: '_count',
  quantile: '',
  native: '',
};

/** The names of a family, translated. A native histogram with custom buckets that was written stays one. */
export function namesOf(family: Family): FamilyName[] {
  const base = family.isWritten ? family.metric : translatedName(family);
  return componentsFor(family).map((component) => ({ name: base + suffixOf[component], component }));
}

/** The names of a family as it was sent. */
export function sentNamesOf(family: Family): FamilyName[] {
  return componentsFor(family).map((component) => ({ name: family.metric + suffixOf[component], component }));
}

function componentsFor({ kind, isWritten }: Family): readonly Component[] {
  return isWritten && kind === 'histogram' ? ['native'] : componentsOf[kind];
}

const mainUnits: Readonly<Record<string, string>> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
};
const perUnits: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

/** The name without the suffixes of components. */
export function translatedName({
  metric,
  unit,
  kind,
  isMonotonic,
}: Omit<Family, 'isWritten' | 'isDelta' | 'isGauge'>): string {
  const tokens = metric.split(/[^a-zA-Z0-9:]+/).filter((token) => token !== '');
  const [main, per] = unitWords(unit);
  if (main !== '' && !tokens.includes(main)) tokens.push(main);
  if (per !== '' && !tokens.includes(per)) tokens.push('per', per);
  if (kind === 'sum' && isMonotonic) moveToEnd(tokens, 'total');
  if (kind === 'gauge' && unit === '1') moveToEnd(tokens, 'ratio');
  const name = tokens.join('_');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** A unit in braces is an annotation and has no word. */
function unitWords(unit: string): readonly [main: string, per: string] {
  const slash = unit.indexOf('/');
  const wordOf = (text: string, words: Readonly<Record<string, string>>) => {
    const trimmed = text.trim();
    if (/[{}]/.test(trimmed)) return '';
    return (
      (Object.hasOwn(words, trimmed) ? words[trimmed] : trimmed)
        ?.replace(/[^a-zA-Z0-9]+/g, '_')
        .replace(/^_|_$/g, '') ?? ''
    );
  };
  if (slash < 0) return [wordOf(unit, mainUnits), ''];
  return [wordOf(unit.slice(0, slash), mainUnits), wordOf(unit.slice(slash + 1), perUnits)];
}

function moveToEnd(tokens: string[], word: string): void {
  const others = tokens.filter((token) => token !== word);
  tokens.splice(0, tokens.length, ...others, word);
}

/** Before the labels of a scope. */
export const scopePrefix = 'otel_scope_';

/** The label of an attribute. `labelOfKey` in `condition-store.ts` is the same in SQL. */
export function labelName(key: string): string {
  const name = key.replace(/[^a-zA-Z0-9_]/gu, '_');
  return /^\d/.test(name) ? `key_${name}` : name;
}

/**
 * A name in a path, which Grafana escapes where it is not a classic one (`U__http_2e_route`): prometheus/common,
 * `model.UnescapeName`. Text that is not a valid escape stands for itself.
 */
export function unescapeName(name: string): string {
  if (!name.startsWith('U__')) return name;
  let text = '';
  let rest = name.slice(3);
  while (rest !== '') {
    const [whole, hex] = /^_(?:_|([0-9a-f]{1,6})_)/.exec(rest) ?? [];
    if (whole === undefined) {
      if (rest.startsWith('_')) return name;
      text += rest[0];
      rest = rest.slice(1);
      continue;
    }
    const code = hex === undefined ? 0x5f : Number.parseInt(hex, 16);
    if (code > 0x10ffff) return name;
    text += String.fromCodePoint(code);
    rest = rest.slice(whole.length);
  }
  return text;
}
