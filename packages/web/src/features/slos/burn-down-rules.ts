import type { Mark } from '../../ui/chart/marks.tsx';
import type { SloPoint } from './queries.ts';

type Change = SloPoint['changes'][number];

/** Labels of marks that are closer than this share of the window would cover each other. */
const apart = 1 / 12;

/** What the charts draw; the values correspond to the times. Without events there is a gap. */
export function seriesOf(points: readonly SloPoint[]) {
  const times = points.map(({ time }) => Date.parse(time));
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  // The last step is as wide as the others.
  const step = (times[1] ?? first + 60_000) - first;
  return {
    times,
    window: { from: first, to: last + step },
    left: points.map(({ budget_left }) => budget_left),
    good: points.map(({ good, total }) => (total === 0 ? null : good)),
    bad: points.map(({ good, total }) => (total === 0 ? null : total - good)),
  };
}

/** The changes of all points, oldest first. */
export function changesOf(points: readonly Pick<SloPoint, 'changes'>[]): Change[] {
  return points.flatMap(({ changes }) => changes);
}

/** A mark for each change; changes that are close together share one. */
export function marksOf(changes: readonly Change[], { from, to }: { from: number; to: number }): Mark[] {
  const marks: { time: number; names: Set<string>; count: number }[] = [];
  for (const change of changes) {
    const name = change.kind === 'deploy' ? `${change.name} ${change.action}` : change.name;
    const time = Date.parse(change.at);
    const last = marks.at(-1);
    if (last !== undefined && time - last.time < (to - from) * apart) {
      last.names.add(name);
      last.count++;
    } else marks.push({ time, names: new Set([name]), count: 1 });
  }
  return marks.map(({ time, names, count }) => {
    const [only = ''] = names;
    const label = names.size > 1 ? `${count} changes` : count > 1 ? `${only} (${count})` : only;
    return { time, label };
  });
}
