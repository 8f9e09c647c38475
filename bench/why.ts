/**
 * How often the first suspect is the cause, in generated shops whose cause is known. Ends with exit code 1 below the bars.
 *
 *     npx tsx bench/why.ts [--runs 20] [--only flag] [--show]
 */
import { parseArgs } from 'node:util';
import { explainWhy, type What } from '../packages/server/src/features/telemetry/why/index.ts';
import { type CauseKind, causeKinds, createShop, type Traffic, type Truth, traffic } from './why/shops.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    from: { type: 'string', default: '101' },
    only: { type: 'string', default: '' },
    show: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
/** The bars of the issue: over all shops of a kind with a cause, and over all without one. */
const bars = { first: 0.9, third: 0.98, none: 0.9 };

/** Whether a suspect names the cause. */
function names(what: What, truth: Truth): boolean {
  if (truth.kind === 'flag') return what.kind === 'flag' && what.flag === truth.flag && what.variant === truth.variant;
  if (truth.kind === 'deploy')
    return (
      (what.kind === 'deploy' && what.service === truth.service && what.version === truth.version) ||
      // The version is new, so its value is the deploy.
      (what.kind === 'attribute' &&
        what.values.length === 1 &&
        what.values.some(({ field, value }) => field === 'resource.service.version' && value === truth.version))
    );
  if (truth.kind === 'none' || what.kind !== 'attribute' || what.values.length !== truth.pairs.length) return false;
  return truth.pairs.every(([field, value]) => what.values.some((one) => one.field === field && one.value === value));
}

interface Score {
  shops: number;
  head: number;
  first: number;
  third: number;
  none: number;
  slowestMs: number;
}

function run(kind: CauseKind, level: Traffic): Score {
  const score = { shops: 0, head: 0, first: 0, third: 0, none: 0, slowestMs: 0 };
  for (let n = 0; n < runs; n += 1) {
    const seed =
      Number(values.from) + n + 1_000 * causeKinds.indexOf(kind) + 10_000 * Object.keys(traffic).indexOf(level);
    const { input, truth } = createShop(kind, level, seed);
    const began = performance.now();
    const { suspects } = explainWhy(input);
    score.slowestMs = Math.max(score.slowestMs, performance.now() - began);
    const at = suspects.findIndex(({ what, also }) => [what, ...also].some((one) => names(one, truth)));
    score.shops += 1;
    if (at === 0) score.first += 1;
    if (at === 0 && suspects[0] !== undefined && names(suspects[0].what, truth)) score.head += 1;
    if (at >= 0 && at < 3) score.third += 1;
    if (suspects.length === 0) score.none += 1;
    const right = kind === 'none' ? suspects.length === 0 : at === 0;
    if (values.show && !right)
      console.log(
        JSON.stringify({
          kind,
          level,
          seed,
          truth,
          at,
          suspects: suspects.map(({ what, score: points, also, standing }) => ({
            what,
            points,
            standing,
            also: also.length,
          })),
        }),
      );
  }
  return score;
}

const percent = (part: number, of: number) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`).padStart(9);
const levels = Object.keys(traffic) as Traffic[];
const kinds = causeKinds.filter((kind) => kind.includes(values.only));
let isBelow = false;
console.log(`${runs} shops per line`.padEnd(28), 'named first', '  top-1', '    top-3', ' no cause', ' slowest');
for (const kind of kinds) {
  const all = { shops: 0, head: 0, first: 0, third: 0, none: 0 };
  for (const level of levels) {
    const score = run(kind, level);
    for (const key of Object.keys(all) as (keyof typeof all)[]) all[key] += score[key];
    print(`${kind}, ${traffic[level]}`, score, `${score.slowestMs.toFixed(0)} ms`);
  }
  print(`${kind}, all`, all, '');
  const isMet =
    kind === 'none'
      ? all.none >= bars.none * all.shops
      : all.first >= bars.first * all.shops && all.third >= bars.third * all.shops;
  if (!isMet) {
    isBelow = true;
    console.log(`${kind}: below the bar`);
  }
}
if (isBelow) process.exitCode = 1;

function print(name: string, { shops, head, first, third, none }: Omit<Score, 'slowestMs'>, time: string) {
  const cells = [head, first, third, none].map((part) => percent(part, shops));
  console.log(name.padEnd(30), ...cells, time.padStart(9));
}
