/**
 * The conditions in the shop: pure functions of the time (milliseconds since the epoch, UTC), so that history, live
 * traffic and repeated runs agree on when it was busy and when something was slow.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Share of the day's peak by hour: quiet nights, a bump at lunch, the peak in the evening. */
const HOURLY = [
  0.3, 0.22, 0.17, 0.15, 0.15, 0.18, 0.25, 0.36, 0.48, 0.56, 0.62, 0.7, 0.78, 0.74, 0.66, 0.64, 0.68, 0.76, 0.88, 0.97,
  1, 0.9, 0.68, 0.45,
];

/** Traffic as a share in (0, 1] of the week's peak, continuous in time; weekends are a little calmer by day. */
export function trafficShare(at: number): number {
  const hours = (at % DAY) / HOUR;
  const hour = Math.floor(hours);
  const from = HOURLY[hour] ?? 1;
  const to = HOURLY[(hour + 1) % 24] ?? 1;
  const share = from + (to - from) * (hours - hour);
  return share * (1 - 0.12 * weekend(at));
}

/** 1 in the middle of a weekend, 0 during the week, with a transition of two hours so that no chart shows a step. */
function weekend(at: number): number {
  // The epoch began on a Thursday; shift so that the week starts on Saturday.
  const intoWeek = (((at - 2 * DAY) % (7 * DAY)) + 7 * DAY) % (7 * DAY);
  const ramp = 2 * HOUR;
  if (intoWeek >= 2 * DAY) return 0;
  return Math.min(1, intoWeek / ramp, (2 * DAY - intoWeek) / ramp);
}

export const SLOW_PROVIDER = 'paywise';

/**
 * The slowdown of a payment provider. Paywise is slow each hour from minute 20 to 26, and has an outage each day from
 * 14:05 to 14:35 UTC, so that a chart of any few hours shows an incident.
 */
export function providerSlowdown(provider: string, at: number): number {
  if (provider !== SLOW_PROVIDER) return 1;
  const intoDay = at % DAY;
  const intoHour = at % HOUR;
  if (intoDay >= 14 * HOUR + 5 * MINUTE && intoDay < 14 * HOUR + 35 * MINUTE) return 20;
  if (intoHour >= 20 * MINUTE && intoHour < 26 * MINUTE) return 7;
  return 1;
}

/** A nightly report slows the catalog's database from 02:30 to 03:00 UTC: searches take four times as long. */
export function catalogSlowdown(at: number): number {
  const intoDay = at % DAY;
  return intoDay >= 2.5 * HOUR && intoDay < 3 * HOUR ? 4 : 1;
}
