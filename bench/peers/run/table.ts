import type { Suite } from '../product.ts';
import type { Result } from './results.ts';

const titles: Readonly<Record<Suite, string>> = {
  traces: 'Spans',
  logs: 'Log records',
  metrics: 'Samples by remote write',
  flags: 'Flags over HTTP',
  memory: 'Without data',
};

/** Figures of which more is better; of all others, less is. */
const moreIsBetter = new Set(['acknowledged/s', 'stored/s']);
const isCount = (figure: string) => ['acknowledged', 'counted', 'refused'].includes(figure);

function unitOf(figure: string): string {
  if (moreIsBetter.has(figure) || isCount(figure) || figure.includes('CPU')) return '';
  if (figure.startsWith('memory')) return ' MiB';
  return figure === 'bytes on disk' ? ' bytes' : ' ms';
}

function numberOf(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** How ours compares with the best of the others; "2.0× better" or "2.0× worse". */
function comparison(figure: string, ours: number | undefined, others: readonly number[]): string {
  if (ours === undefined || others.length === 0 || isCount(figure)) return '';
  const more = moreIsBetter.has(figure);
  const best = more ? Math.max(...others) : Math.min(...others);
  const factor = more ? ours / best : best / ours;
  return factor >= 1 ? `${factor.toFixed(2)}× better` : `${(1 / factor).toFixed(2)}× worse`;
}

/** A Markdown table for each suite: a row for each figure, a column for each product, ours first. */
export function tables(results: readonly Result[]): string {
  const suites = [...new Set(results.map(({ suite }) => suite))];
  return suites
    .map((suite) =>
      table(
        suite,
        results.filter((result) => result.suite === suite),
      ),
    )
    .join('\n\n');
}

function table(suite: Suite, results: readonly Result[]): string {
  const measured = results.filter(({ missing }) => missing === undefined);
  const ours = measured.find(({ product }) => product === 'Fanion');
  const peers = measured.filter((result) => result !== ours);
  const columns = ours === undefined ? peers : [ours, ...peers];
  const names = [...new Set(columns.flatMap(({ figures }) => Object.keys(figures)))];
  const rows = names.map((name) => {
    const cells = columns.map(({ figures: { [name]: value } }) =>
      value === undefined ? '–' : numberOf(value) + unitOf(name),
    );
    const others = peers.flatMap(({ figures: { [name]: value } }) => (value === undefined ? [] : [value]));
    return `| ${[name, ...cells, comparison(name, ours?.figures[name], others)].join(' | ')} |`;
  });
  const missing = results.flatMap(({ product, missing: why }) =>
    why === undefined ? [] : [`Missing: ${product}, ${why}.`],
  );
  const head = ['', ...columns.map(({ product }) => product), 'to the best peer'];
  return [
    `### ${titles[suite]}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows,
    ...(missing.length === 0 ? [] : ['', ...missing]),
  ].join('\n');
}
