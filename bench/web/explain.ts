import type { Page, Request } from 'playwright-core';

interface Candidate {
  readonly at: number;
  readonly what: string;
}

declare global {
  interface Window {
    explained: { paints: Candidate[]; shifts: (Candidate & { readonly value: number })[]; tasks: [number, number][] };
  }
}

/** Runs in each page before its own scripts: notes what was painted and what moved. */
export function explain(): void {
  window.explained = { paints: [], shifts: [], tasks: [] };
  const nameOf = (node: Node | null | undefined) => {
    if (!(node instanceof Element)) return node?.nodeName ?? '?';
    const text = (node.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40);
    return `${node.tagName.toLowerCase()}.${String(node.getAttribute('class') ?? '').split(' ')[0]} “${text}”`;
  };
  const watch = (type: string, each: (entry: PerformanceEntry & Record<string, unknown>) => void) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) each(entry as PerformanceEntry & Record<string, unknown>);
    }).observe({ type, buffered: true });
  watch('largest-contentful-paint', (entry) => {
    const what = `${nameOf(entry.element as Element | null)} of ${String(entry.size)} px²`;
    window.explained.paints.push({ at: entry.startTime, what });
  });
  watch('layout-shift', (entry) => {
    const sources = (entry.sources as { node?: Node }[] | undefined) ?? [];
    const what = sources.map(({ node }) => nameOf(node)).join(', ');
    if (entry.hadRecentInput !== true)
      window.explained.shifts.push({ at: entry.startTime, value: Number(entry.value), what });
  });
  watch('longtask', (entry) => window.explained.tasks.push([entry.startTime, entry.duration]));
}

/** Follows the requests of a page; the returned function prints them with what was painted, in the order of time. */
export function follow(page: Page): () => Promise<string[]> {
  const requests: Request[] = [];
  page.on('requestfinished', (request) => requests.push(request));
  return async () => {
    const started = await page.evaluate(() => performance.timeOrigin);
    const { paints, shifts, tasks } = await page.evaluate(() => window.explained);
    const rows: [number, string][] = [
      ...paints.map(({ at, what }): [number, string] => [at, `PAINT ${what}`]),
      ...shifts.map(({ at, value, what }): [number, string] => [at, `SHIFT ${value.toFixed(3)} ${what}`]),
      ...tasks.map(([at, took]): [number, string] => [at, `TASK of ${took.toFixed(0)} ms`]),
    ];
    for (const request of requests) {
      const { startTime, requestStart, responseStart, responseEnd } = request.timing();
      const at = startTime - started;
      const path = new URL(request.url()).pathname.replace(/^\/api\/v1\/(workspaces\/[^/]+\/)?/, 'api ');
      const body = (request.postData() ?? '').slice(0, 140);
      const took = `waits ${(responseStart - Math.max(0, requestStart)).toFixed(0)} ms, ends at ${(at + responseEnd).toFixed(0)}`;
      rows.push([at, `${path} ${took} ${body}`]);
    }
    return rows.sort(([a], [b]) => a - b).map(([at, text]) => `${at.toFixed(0).padStart(6)} ${text}`);
  };
}
