/**
 * How often the engine names the published root cause of real incidents: the set RS of RobustSpot (135 drops in the quality of live
 * video, each with the values of one or more attributes that its engineers found). The data is not part of this repository:
 *
 *     git clone https://github.com/shaido987/riskloc DIR
 *     npx tsx bench/why-published.ts DIR/data/RS [--show]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explainWhy, type What, type WhyInput } from '../packages/server/src/features/telemetry/why/index.ts';
import { createRandom } from './why/random.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'boolean', default: false } },
});
const [directory] = positionals;
if (directory === undefined) throw new Error('name the directory with anomaly.yaml');
const read = (name: string) => readFileSync(`${directory}/${name}`, 'utf8');

interface Incident {
  readonly file: string;
  /** `field=value`, sorted. */
  readonly cause: string;
  readonly size: number;
}

const incidents = read('anomaly.yaml')
  .split(/^- data: */m)
  .slice(1)
  .map((text): Incident => {
    const pairs = (/cause: \{(.*)\}/.exec(text)?.[1] ?? '')
      .split(',')
      .map((pair) => pair.replace(/['\s]/g, '').replace(':', '='));
    return { file: `${text.split('\n')[0]?.trim()}.csv`, cause: pairs.sort().join(' '), size: pairs.length };
  });

/** As many of each side as are read from the store for one answer. */
const sampled = [4_000, 2_000] as const;

/** Rows count the viewers of a minute with some attributes, and those whose video stalled; items are viewers. */
function inputOf(csv: string): WhyInput {
  const random = createRandom(1);
  const [head = '', ...lines] = csv.trim().split(/\r?\n/);
  const names = head.split(',');
  const fields = names.filter((name) => !['min', 'value', 'cnt'].includes(name));
  const rows = lines.map((line) => {
    const cells = line.split(',');
    const row = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    return { row, sides: [Math.max(0, Number(row.cnt) - Number(row.value)), Number(row.value)] as const };
  });
  const totals = [0, 1].map((side) => rows.reduce((sum, { sides }) => sum + (sides[side] ?? 0), 0));
  const items = rows.flatMap(({ row, sides }) =>
    sides.flatMap((count, side) => {
      const share = Math.min(1, (sampled[side] ?? 0) / (totals[side] || 1));
      const expected = count * share;
      const taken = Math.floor(expected) + (random.chance(expected % 1) ? 1 : 0);
      return Array.from({ length: taken }, () => ({
        side,
        weight: 1 / share,
        timeMs: (Number(row.min) + 60 * random.next()) * 1_000,
        row,
      }));
    }),
  );
  return {
    items: {
      count: items.length,
      selected: Uint8Array.from(items, ({ side }) => side),
      timeMs: Float64Array.from(items, ({ timeMs }) => timeMs),
      weights: Float64Array.from(items, ({ weight }) => weight),
    },
    attributes: fields.map((name) => {
      const all = [...new Set(items.map(({ row }) => row[name] ?? ''))];
      return { name, values: all, codes: Int32Array.from(items, ({ row }) => all.indexOf(row[name] ?? '')) };
    }),
    flags: [],
    changes: [],
    novelties: [],
    defining: new Set(),
  };
}

const pairsOf = (what: What) =>
  what.kind === 'attribute' ? what.values.map(({ field, value }) => `${field}=${value}`).sort() : [];

console.log('values in the cause   incidents   exact first   exact in 3   first names a part of it   nothing named');
for (const size of [1, 2, 3]) {
  const cases = incidents.filter((one) => one.size === size);
  const score = { first: 0, third: 0, part: 0, nothing: 0 };
  for (const { file, cause } of cases) {
    const { suspects } = explainWhy(inputOf(read(file)));
    const named = suspects.map(({ what, also }) => [what, ...also].map((one) => pairsOf(one).join(' ')));
    const head = suspects[0] === undefined ? [] : pairsOf(suspects[0].what);
    if (named[0]?.includes(cause)) score.first += 1;
    if (named.slice(0, 3).some((names) => names.includes(cause))) score.third += 1;
    if (head.some((pair) => cause.split(' ').includes(pair))) score.part += 1;
    if (head.length === 0) score.nothing += 1;
    if (values.show && !named[0]?.includes(cause)) console.log(file, '|', cause, '|', named.slice(0, 3));
  }
  console.log(
    String(size).padEnd(21),
    ...[cases.length, score.first, score.third, score.part, score.nothing].map((n) => String(n).padStart(11)),
  );
}
