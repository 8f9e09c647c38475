import { NoEqual } from './report.ts';

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Milliseconds of a duration in Prometheus' form, such as `1h30m`. */
export function prometheusDurationMs(text: string): number {
  if (text === '0') return 0;
  const form = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text);
  if (text === '' || form === null) throw new NoEqual(`${JSON.stringify(text)} is not a duration`);
  return ['y', 'w', 'd', 'h', 'm', 's', 'ms'].reduce(
    (sum, unit, i) => sum + Number(form[i + 1] ?? 0) * (units[unit] ?? 0),
    0,
  );
}

/** A duration in our form, which has one unit: `90m`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0s';
  if (ms % 1_000 !== 0) throw new NoEqual('durations are whole seconds');
  for (const unit of ['w', 'd', 'h', 'm', 's']) {
    const size = units[unit] ?? 1;
    if (ms % size === 0 && ms / size < 1_000_000) return `${ms / size}${unit}`;
  }
  throw new NoEqual('the duration is too long');
}
