import type { Parameters } from '../../read/request.ts';
import { cellOf, countedLines, rowsOf } from './counted-lines.ts';
import type { Reader } from './lines.ts';
import { gridOf, windowOf } from './parameter-rules.ts';

const mostRows = 50_000;

/** Templates of lines, with how many lines each has from the start of each step, the most frequent first. */
export async function patterns(reader: Reader, parameters: Parameters, nowMs: number) {
  const window = windowOf(parameters, nowMs);
  const { stepNs } = gridOf(parameters, nowMs, reader.limits.steps);
  const { oql } = await countedLines(reader, parameters.one('query'), window);
  const question = `${oql}${cellOf(window, stepNs)} | patterns by cell | fields pattern, cell, count`;
  const found = new Map<string, { total: number; samples: [number, number][] }>();
  for (const [template, cell, count] of await rowsOf(reader, question, window, mostRows)) {
    const pattern = writtenPattern(String(template));
    const known = found.get(pattern) ?? { total: 0, samples: [] };
    known.total += Number(count);
    known.samples.push([Number((window.fromNs + stepNs * BigInt(Number(cell))) / 1_000_000_000n), Number(count)]);
    found.set(pattern, known);
  }
  return [...found]
    .toSorted(([, a], [, b]) => b.total - a.total)
    .map(([pattern, { samples }]) => ({ pattern, samples: samples.toSorted(([a], [b]) => a - b) }));
}

/** As a filter with `|>` takes it. An asterisk that the lines have themselves is a part that varies, too. */
export function writtenPattern(template: string): string {
  return template.replaceAll(/\*+/g, '<_>').replaceAll(/(<_>){2,}/g, '<_>');
}
