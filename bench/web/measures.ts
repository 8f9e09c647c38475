import type { CDPSession, Page } from 'playwright-core';

/** What the browser reports of a page so far. */
export interface Vitals {
  /** Milliseconds until the largest content was painted. */
  readonly paint: number;
  /** The sum of unexpected shifts of the layout. */
  readonly shift: number;
}

declare global {
  interface Window {
    bench: { paint: number; shift: number; inputs: number[] };
  }
}

/** Runs in each page before its own scripts. */
export function observe(): void {
  window.bench = { paint: 0, shift: 0, inputs: [] };
  const watch = (type: string, each: (entry: PerformanceEntry & Record<string, unknown>) => void, extra = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) each(entry as PerformanceEntry & Record<string, unknown>);
    }).observe({ type, buffered: true, ...extra });
  watch('largest-contentful-paint', (entry) => {
    window.bench.paint = Math.max(window.bench.paint, entry.startTime);
  });
  watch('layout-shift', (entry) => {
    if (entry.hadRecentInput !== true) window.bench.shift += Number(entry.value);
  });
  watch(
    'event',
    (entry) => {
      if (Number(entry.interactionId) > 0) window.bench.inputs.push(entry.duration);
    },
    { durationThreshold: 16 },
  );
}

export function vitals(page: Page): Promise<Vitals> {
  return page.evaluate(() => ({ paint: window.bench.paint, shift: window.bench.shift }));
}

/** Milliseconds from each interaction to the next paint, of those that took 16 and more. */
export function inputDelays(page: Page): Promise<number[]> {
  return page.evaluate(() => window.bench.inputs);
}

/**
 * Scrolls an element by `step` pixels a frame, down and up again, and returns how long each frame took, in milliseconds.
 * Setting the position in each frame is harder than a wheel: the page has to draw before the frame ends.
 */
export function scrollFrames(page: Page, selector: string, frames: number, step: number): Promise<number[]> {
  return page.evaluate(
    ({ selector, frames, step }) =>
      new Promise<number[]>((resolve, reject) => {
        const element = document.querySelector(selector);
        if (element === null) return reject(new Error(`nothing to scroll: ${selector}`));
        const took: number[] = [];
        let last = 0;
        let count = 0;
        const frame = (now: number) => {
          if (last > 0) took.push(now - last);
          last = now;
          if (took.length >= frames) return resolve(took);
          element.scrollTop += count++ < frames / 2 ? step : -step;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    { selector, frames, step },
  );
}

/** Milliseconds of the page's main thread for each move of the mouse to one of the points: scripts, layout and paint. */
export async function hoverCosts(page: Page, points: readonly { x: number; y: number }[]): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const costs: number[] = [];
  // What reading and waiting cost by themselves.
  const idle = await taskTime(page, session, async () => {});
  for (const { x, y } of points) {
    costs.push(Math.max(0, (await taskTime(page, session, () => page.mouse.move(x, y))) - idle));
  }
  await session.detach();
  return costs;
}

async function taskTime(page: Page, session: CDPSession, action: () => Promise<void>): Promise<number> {
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const before = await read();
  await action();
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
  return ((await read()) - before) * 1000;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
