import type { DashboardPanel } from '@fanion/contract';

type Thresholds = NonNullable<DashboardPanel['thresholds']>;

/** `warning 0.5, error 1` */
export function printThresholds(thresholds: DashboardPanel['thresholds'] = []): string {
  return thresholds.map(({ value, color }) => `${color} ${value}`).join(', ');
}

/** The reverse; undefined for a text of another form. */
export function parseThresholds(text: string): Thresholds | undefined {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > 10) return undefined;
  const read = parts.map((part) => /^(ok|warning|error|neutral)\s+(-?\d+(?:\.\d+)?)$/.exec(part));
  const found = read.flatMap((match): Thresholds => {
    const [, color, value] = match ?? [];
    return color === undefined || value === undefined
      ? []
      : [{ color: color as Thresholds[number]['color'], value: Number(value) }];
  });
  return found.length === parts.length ? found : undefined;
}
