import { plainText } from '../files/plain-text.ts';

/** A record of the tail stream, by column. */
export type Row = Readonly<Record<string, unknown>>;

const colors = { red: 31, yellow: 33, cyan: 36, dim: 2 } as const;
type Color = keyof typeof colors;

/** A record in one line: time, severity or status, service, and the body or the span's name and duration. */
export function lineOf(row: Row, isColored: boolean): string {
  const painted = (text: string, color: Color | undefined) =>
    isColored && color !== undefined ? `\u001b[${colors[color]}m${text}\u001b[0m` : text;
  const level = plainText(row.severity ?? row.status);
  const what = 'body' in row ? plainText(row.body) : `${plainText(row.name)} ${durationOf(row.duration)}`;
  return [
    painted(plainText(row.time), 'dim'),
    painted(level.toUpperCase().padEnd(5), colorOf(level)),
    painted(plainText(row['service.name']), 'cyan'),
    what,
  ].join('  ');
}

function colorOf(level: string): Color | undefined {
  if (/^(error|fatal)/i.test(level)) return 'red';
  if (/^warn/i.test(level)) return 'yellow';
  return /^(debug|trace)/i.test(level) ? 'dim' : undefined;
}

/** @param nanoseconds as OQL returns them */
function durationOf(nanoseconds: unknown): string {
  const ms = Number(nanoseconds) / 1e6;
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms.toFixed(ms >= 10 ? 0 : 2)} ms`;
}
