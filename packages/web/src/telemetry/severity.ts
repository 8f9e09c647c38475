import type { ColourScheme } from '../ui/colours.ts';

/** Levels of OpenTelemetry's severity numbers, in steps of four from 1. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type SeverityLevel = (typeof LEVELS)[number] | 'unset';

/** The level of a severity: a number 1…24, or a text such as `ERROR`, `Warning`, `error2`. */
export function severityLevel(value: unknown): SeverityLevel {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) {
    const number = Number(value);
    return number < 1 || number > 24 ? 'unset' : (LEVELS[Math.floor((number - 1) / 4)] ?? 'unset');
  }
  const text = String(value ?? '').toLowerCase();
  if (text === 'critical' || text === 'emergency' || text === 'alert') return 'fatal';
  return LEVELS.find((level) => text.startsWith(level)) ?? 'unset';
}

/** 0 (unset) to 6 (fatal). */
export function severityRank(value: unknown): number {
  const level = severityLevel(value);
  return level === 'unset' ? 0 : LEVELS.indexOf(level) + 1;
}

/** Severities have separate colors, so that info never looks like a service. */
export const SEVERITY_COLOURS: Record<ColourScheme, Record<SeverityLevel, string>> = {
  light: {
    unset: '#8a94a3',
    trace: '#b4bcc8',
    debug: '#8a94a3',
    info: '#6d7bb5',
    warn: '#b07500',
    error: '#c02632',
    fatal: '#8c1220',
  },
  dark: {
    unset: '#6f7b8b',
    trace: '#4d5867',
    debug: '#6f7b8b',
    info: '#7f9fc4',
    warn: '#f0b444',
    error: '#ff7b81',
    fatal: '#ff4d5a',
  },
};

/** A level's color in charts: gray to blue for normal levels, amber and red for warnings and errors. */
export function severityColour(value: unknown, scheme: ColourScheme): string {
  return SEVERITY_COLOURS[scheme][severityLevel(value)];
}
