import { LOGS } from '../fixture.ts';
import { type Golden, minute } from '../golden/expected.ts';
import { routed, routes } from './expected.ts';

/** Then and now: windows set in the query, and `compare`. */
export const WINDOW_ANSWERS: readonly Golden[] = [
  {
    query: 'from -30m; spans | where root | stats n=count(), d=max(duration) by http.route | compare 30m',
    rows: routes.map((route) => {
      const of = routed(route).map(({ duration }) => duration);
      const [now, then] = [Math.max(...of), Math.max(...of.filter((d) => d <= 30e6))];
      return [route, 15, 15, 0, now, then, now / then - 1];
    }),
    within: 1e-9,
  },
  {
    query: 'from -20m to -10m; logs | count',
    rows: [[LOGS.filter(({ time }) => String(time) >= String(LOGS[0]?.time) && inMinutes(time, 40, 50)).length]],
  },
];

function inMinutes(time: bigint, from: number, to: number): boolean {
  const at = Number(time / 1_000_000n) - Date.parse(minute(0));
  return at >= from * 60_000 && at < to * 60_000;
}
