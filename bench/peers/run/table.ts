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

/** Markdown tables for each suite: a row for each figure, a column for each product, ours first; of several numbers of items, their growth. */
export function tables(results: readonly Result[]): string {
  return [...new Set(results.map(({ suite }) => suite))].flatMap((suite) => ofSuite(suite, results)).join('\n\n');
}

function ofSuite(suite: Suite, results: readonly Result[]): string[] {
  const own = results.filter((result) => result.suite === suite);
  const sizes = [...new Set(own.map(({ items = 0 }) => items))].sort((a, b) => a - b);
  const of = (size: number) => own.filter(({ items = 0 }) => items === size);
  const [least = 0, ...larger] = sizes;
  return [
    ...sizes.map((size) => table(size === 0 ? titles[suite] : `${titles[suite]}, ${short(size)}`, of(size))),
    ...larger.map((size) => growth(`${titles[suite]}, ${short(size)} ÷ ${short(least)}`, of(least), of(size))),
  ];
}

/** 10M for ten million. */
function short(items: number): string {
  return items >= 1e6 ? `${items / 1e6}M` : items.toLocaleString('en');
}

function growth(title: string, least: readonly Result[], larger: readonly Result[]): string {
  const columns = larger.filter(({ missing }) => missing === undefined);
  const names = [...new Set(columns.flatMap(({ figures }) => Object.keys(figures)))].filter((name) => !isCount(name));
  const rows = names.map((name) => {
    const cells = columns.map(({ product, figures: { [name]: value } }) => {
      const before = least.find((result) => result.product === product)?.figures[name];
      return value === undefined || before === undefined ? '–' : (value / before).toFixed(2);
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return markdown(title, ['', ...columns.map(({ product }) => product)], rows);
}

function table(title: string, results: readonly Result[]): string {
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
  return [markdown(title, head, rows), ...(missing.length === 0 ? [] : ['', ...missing])].join('\n');
}

function markdown(title: string, head: readonly string[], rows: readonly string[]): string {
  return [`### ${title}`, '', `| ${head.join(' | ')} |`, `|${head.map(() => ' --- |').join('')}`, ...rows].join('\n');
}
