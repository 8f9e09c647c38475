import type { MetricRollUps } from '@fanion/oql';

/** @param hours those with points, by metric and time */
export function rangesOf(
  hours: readonly { readonly metric: string; readonly at: number; readonly whole: boolean }[],
): MetricRollUps[] {
  const found = new Map<string, [from: number, to: number][]>();
  let isOpen = false;
  let last: string | undefined;
  for (const { metric, at, whole } of hours) {
    const ranges = found.get(metric) ?? [];
    found.set(metric, ranges);
    const range = ranges.at(-1);
    if (whole && isOpen && range && last === metric) range[1] = at + 1;
    else if (whole) ranges.push([at, at + 1]);
    isOpen = whole;
    last = metric;
  }
  return [...found].filter(([, ranges]) => ranges.length > 0).map(([metric, ranges]) => ({ metric, hours: ranges }));
}

/** Whether every hour of some roll-ups is among those of others. */
export function covers(those: readonly MetricRollUps[], these: readonly MetricRollUps[]): boolean {
  return these.every(({ metric, hours }) => {
    const within = those.find((one) => one.metric === metric)?.hours ?? [];
    return hours.every(([from, to]) => within.some(([begin, end]) => begin <= from && to <= end));
  });
}
