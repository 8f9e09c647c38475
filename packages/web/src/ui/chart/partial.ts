import uPlot from 'uplot';

/** Indexes of points, both included. */
export type Run = readonly [first: number, last: number];

/**
 * Splits the points of a series: partial buckets are at its ends, the others are `whole`.
 * @param shared lines: neighboring runs share a point, so that no segment is missing
 */
export function splitRuns(
  [first, last]: Run,
  isPartial: (index: number) => boolean,
  shared: boolean,
): { whole: Run | undefined; partial: readonly Run[] } {
  let from = first;
  let to = last;
  while (from <= last && isPartial(from)) from += 1;
  while (to >= from && isPartial(to)) to -= 1;
  if (from > to) return { whole: undefined, partial: [[first, last]] };
  const step = shared ? 0 : 1;
  const partial: Run[] = [];
  if (from > first) partial.push([first, from - step]);
  if (to < last) partial.push([to + step, last]);
  return { whole: [from, to], partial };
}

/** Draws the points at some times in another way than the others: lines dashed, bars pale. */
export function partialPaths(
  kind: 'lines' | 'bars',
  paths: uPlot.Series.PathBuilder,
  partialTimes: readonly number[],
): { paths: uPlot.Series.PathBuilder; drawSeries: (plot: uPlot, index: number) => void } {
  const times = new Set(partialTimes);
  const split = (plot: uPlot, run: Run) =>
    splitRuns(run, (index) => times.has(plot.data[0][index] ?? Number.NaN), kind === 'lines');
  return {
    paths: (plot, series, first, last) => {
      const { whole } = split(plot, [first, last]);
      return whole ? paths(plot, series, whole[0], whole[1]) : null;
    },
    drawSeries(plot, series) {
      const { ctx, bbox } = plot;
      const colour = plot.series[series]?.stroke;
      for (const [first, last] of split(plot, [0, plot.data[0].length - 1]).partial) {
        const drawn = paths(plot, series, first, last);
        const path = kind === 'bars' ? drawn?.fill : drawn?.stroke;
        if (!(path instanceof Path2D)) continue;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        if (drawn?.clip) ctx.clip(drawn.clip);
        const style = typeof colour === 'function' ? colour(plot, series) : colour;
        if (kind === 'bars') {
          ctx.globalAlpha *= 0.4;
          ctx.fillStyle = style ?? '';
          ctx.fill(path);
        } else {
          ctx.lineWidth = (plot.series[series]?.width ?? 1) * uPlot.pxRatio;
          ctx.setLineDash([3 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
          ctx.strokeStyle = style ?? '';
          ctx.stroke(path);
        }
        ctx.restore();
      }
    },
  };
}
