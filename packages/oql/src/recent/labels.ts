import type { RecentCondition, RecentLabel, RecentSeries } from './question.ts';

/** The text of a label; null where the series has none. An empty text is a text, except of an environment. */
export function labelText(series: RecentSeries, label: RecentLabel): string | null {
  return find(series, label, (text) => text);
}

/**
 * A label as a key of a group, as the engine sends it: for an attribute, the letter of the type that it was sent with, then its text
 * (`check/tagged.ts`).
 */
export function labelKey(series: RecentSeries, label: RecentLabel): string | null {
  return find(series, label, (text, types, key) => letterOf(types, key) + text);
}

function find(
  series: RecentSeries,
  label: RecentLabel,
  make: (text: string, types: string, key: string) => string,
): string | null {
  if (label.kind === 'service') return series.service;
  if (label.kind === 'environment') return series.environment || null;
  for (const place of label.places) {
    for (const key of label.keys) {
      const text = series[place].get(key);
      if (text === undefined) continue;
      return make(text, place === 'attributes' ? series.attributeTypes : series.resourceTypes, key);
    }
  }
  return null;
}

/** Types are a zero byte, the key, a byte 1 and the letter, one after the other; what was sent as text has no entry. */
function letterOf(types: string, key: string): string {
  if (types === '' || key.includes('\0') || key.includes('\x01')) return 's';
  const entry = `\0${key}\x01`;
  const at = types.indexOf(entry);
  return at < 0 ? 's' : types.charAt(at + entry.length);
}

/** Whether a series meets a condition. A missing label equals no text. */
export function meets(series: RecentSeries, condition: RecentCondition): boolean {
  switch (condition.kind) {
    case 'in': {
      const text = labelText(series, condition.label);
      return text !== null && condition.texts.includes(text);
    }
    case 'exists':
      return labelText(series, condition.label) !== null;
    case 'and':
      return condition.of.every((one) => meets(series, one));
    case 'or':
      return condition.of.some((one) => meets(series, one));
    case 'not':
      return !meets(series, condition.of);
  }
}
