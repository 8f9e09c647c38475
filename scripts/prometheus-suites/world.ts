import type { LabelMatcher } from '@fanion/promql';
import type { TestSeries } from '../../packages/telemetry/src/testing/remote-write.ts';
import type { Need } from './needs.ts';
import { type Day, samplesOf } from './samples.ts';

/** Series of each selector. */
const perSelector = 3;
const bounds = ['0.005', '0.05', '0.1', '0.5', '1', '5', '30', '+Inf'];
/** More would make the world large without another path through the engines. */
const mostPerMetric = 400;

/** Made-up series with samples for everything that the expressions read: the same ones each time. */
export function worldOf(needs: Iterable<Need>, day: Day): TestSeries[] {
  return [...needs].flatMap((need) =>
    labelsOf(need).map((labels): TestSeries => {
      const named = { __name__: need.metric, ...labels };
      return { labels: named, samples: samplesOf(need, named, day) };
    }),
  );
}

/** The labels of a metric's series: some that each selector selects, and one that it leaves out. */
function labelsOf(need: Need): Record<string, string>[] {
  const names = new Set(need.labels);
  for (const matchers of need.selectors.values()) for (const { name } of matchers) names.add(name);
  if (need.metric.endsWith('_bucket')) names.add('le');
  const found = new Map<string, Record<string, string>>();
  for (const matchers of need.selectors.values())
    for (let i = -1; i < perSelector; i++)
      for (const le of names.has('le') ? boundsOf(need) : [undefined]) {
        const labels = seriesOf(need, names, matchers, i, le);
        if (labels !== undefined && found.size < mostPerMetric) found.set(JSON.stringify(labels), labels);
      }
  return [...found.values()];
}

/** @param i of the series; -1: one that the first negative matcher leaves out */
function seriesOf(
  need: Need,
  names: ReadonlySet<string>,
  matchers: readonly LabelMatcher[],
  i: number,
  le: string | undefined,
): Record<string, string> | undefined {
  const negative = matchers.find(({ op, value }) => op.startsWith('!') && value !== '');
  if (i < 0 && negative === undefined) return undefined;
  const labels: Record<string, string> = {};
  for (const name of [...names].sort()) {
    const own = matchers.filter((one) => one.name === name);
    const isLeftOut = i < 0 && name === negative?.name;
    const value = name === 'le' ? le : isLeftOut ? leftOut(negative) : labelValue(need, name, own, Math.max(0, i));
    if (value === undefined) return undefined;
    if (value !== '') labels[name] = value;
  }
  return labels;
}

function leftOut({ value, op }: LabelMatcher): string | undefined {
  return op === '!=' ? value : examplesOf(value).find((one) => matches(value, one) && one !== '');
}

function labelValue(need: Need, name: string, own: readonly LabelMatcher[], i: number): string | undefined {
  const fits = (text: string) => own.every((one) => accepts(one, text));
  const others = [...[...need.selectors.values()].flat(), ...need.joined].filter(
    (one) => one.name === name && one.op === '=',
  );
  const usual = own.length > 0 ? [] : others.map(({ value }) => value).filter((value) => value !== '');
  const examples = own.flatMap(({ op, value }) =>
    op === '=' ? [value] : op === '=~' ? examplesOf(value).filter((one) => one !== '') : [],
  );
  const likely = [usualValue(name, i), ...usual.slice(i % Math.max(1, usual.length)), ...usual];
  const rotated = [...examples.slice(i % Math.max(1, examples.length)), ...examples];
  const candidates = usual.length > 0 ? likely.slice(1) : [...likely, ...rotated];
  return [...candidates, `${name}-other-${i}`, ...examplesOf('a|1|eth0|')].find(fits);
}

function accepts({ op, value }: LabelMatcher, text: string): boolean {
  if (op === '=') return text === value;
  if (op === '!=') return text !== value;
  return matches(value, text) === (op === '=~');
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`, 's').test(text);
}

function boundsOf(need: Need): string[] {
  const named = [...need.selectors.values()]
    .flat()
    .filter(({ name }) => name === 'le')
    .flatMap(({ op, value }) => (op === '=' ? [value] : examplesOf(value)))
    .filter((text) => Number.isFinite(Number(text)) && text !== '');
  const all = new Map([...bounds, ...named].map((text) => [text === '+Inf' ? Infinity : Number(text), text]));
  return [...all].sort(([a], [b]) => a - b).map(([, text]) => text);
}

/** One world for all metrics, so that their labels join: three containers on two nodes. */
function usualValue(name: string, i: number): string {
  const two = i % 2;
  if (name === 'cluster') return 'main';
  if (name === 'job') return 'node';
  if (name === 'instance') return `node-${two}:9100`;
  if (name === 'node' || name === 'nodename') return `node-${two}`;
  if (name === 'namespace' || name === 'container' || name === 'condition') return `${name}-${two}`;
  return `${name}-${i}`;
}

/** Texts that a pattern of these files matches, the parts of its alternatives filled in. Others are not needed. */
export function examplesOf(pattern: string): string[] {
  const group = /\(\??:?([^()]*)\)(\?)?/.exec(pattern);
  if (group !== null) {
    const [whole, inner = '', optional] = group;
    const parts = [...inner.split('|'), ...(optional === undefined ? [] : [''])].slice(0, 12);
    return parts.flatMap((part) => examplesOf(pattern.replace(whole, () => part))).slice(0, 40);
  }
  if (pattern.includes('|')) return pattern.split('|').flatMap(examplesOf).slice(0, 40);
  return [filled(pattern)];
}

function filled(pattern: string): string {
  return pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\[\^[^\]]*\][+*]?/g, 'x')
    .replace(/\[([^\]])[^\]]*\][+*]?/g, '$1')
    .replace(/\\d[+*]?|\{\d+\}/g, '1')
    .replace(/\\\./g, '\u0000')
    .replace(/\.[+*]\??/g, 'x')
    .replace(/\\/g, '')
    .replaceAll('\u0000', '.')
    .replace(/[?+*]/g, '');
}
