/**
 * Error rates, coverage and power of @fanion/stats, by simulation. Every run is seeded, so that it gives the same figures again.
 *
 *     npx tsx bench/stats.ts [--runs 10000] [--only text]
 */
import { parseArgs } from 'node:util';
import { fixedPower, plan, sequentialPower } from '@fanion/stats';
import {
  clustered,
  correlated,
  type Draw,
  normals,
  proportions,
  revenue,
} from '../packages/stats/src/testing/draws.ts';
import { simulate, simulateGuards, simulateSplits } from '../packages/stats/src/testing/simulate.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, only: { type: 'string', default: '' } },
});
const runs = Number(values.runs);
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
const every = (units: number, times: number) => Array.from({ length: times }, () => units);
/** Units of each arm at 20 looks of a ramp whose steps are 1, 5, 20 and 50 %. */
const ramp = [...every(10, 5), ...every(50, 5), ...every(200, 5), ...every(500, 5)];

function row(name: string, cells: Record<string, string>) {
  console.log(
    `${name.padEnd(48)} ${Object.entries(cells)
      .map(([key, value]) => `${key} ${value}`)
      .join('   ')}`,
  );
}
const wanted = (name: string) => name.includes(values.only);

const aa: [string, Draw, number[], number?][] = [
  ['conversion 0.2 %, 10,000 an arm', proportions(0.002), every(500, 20)],
  ['conversion 2 %, 10,000 an arm', proportions(0.02), every(500, 20)],
  ['conversion 20 %, 4,000 an arm', proportions(0.2), every(200, 20)],
  ['conversion 20 %, 50 looks', proportions(0.2), every(80, 50)],
  ['conversion 2 %, ramp steps', proportions(0.02), ramp],
  ['conversion 2 %, 3 arms, Holm', proportions(0.02), every(300, 20), 3],
  ['mean, normal, 2,000 an arm', normals, every(100, 20)],
  ['mean, heavy tail (log-normal, σ 1.5), 5 % buy', revenue(0.05, 1.5), every(300, 20)],
  ['the same, capped', revenue(0.05, 1.5, 15), every(300, 20)],
  ['ratio, clusters, 2 % errors', clustered(0.02), every(100, 20)],
  ['CUPED, correlation 0.7, 2,000 an arm', correlated(0.7), every(100, 20)],
];
console.log(`A/A: shares of ${runs} runs with a verdict, α 5 %`);
for (const [index, [name, draw, perLook, arms = 2]] of aa.entries()) {
  if (!wanted(name)) continue;
  const rates = simulate({ draw, lifts: every(0, arms), perLook, runs, seed: 1000 + index });
  row(name, {
    sequential: percent(rates.sequential),
    fixed: percent(rates.fixed),
    peeked: percent(rates.peeked),
    'relative, any events': percent(rates.relative),
    coverage: percent(rates.coverage),
  });
}

console.log('\nCoverage of the fixed interval with an effect');
const covered: [string, Draw, number, number, number][] = [
  ['conversion 2 % → 2.4 %', proportions(0.02), 0.2, 0.004, 5000],
  ['conversion 20 % → 22 %', proportions(0.2), 0.1, 0.02, 2000],
  ['mean, 0.1 σ', normals, 0.1, 1, 2000],
  ['CUPED, 0.1 σ, correlation 0.7', correlated(0.7), 0.1, 1, 2000],
  ['ratio, clusters, 2 % → 2.4 %', clustered(0.02), 0.2, 0.004, 2000],
];
for (const [index, [name, draw, lift, truth, n]] of covered.entries()) {
  if (wanted(name))
    row(name, {
      coverage: percent(simulate({ draw, lifts: [0, lift], perLook: [n], runs, seed: 2000 + index, truth }).coverage),
    });
}

console.log('\nPower, simulated and as the calculator says');
const powered: [string, Draw, number, number, number, number][] = [
  ['0.1 σ, 2,000 an arm', normals, 0.1, 1, 200, 2000],
  ['conversion 10 % → 11 %, 14,749 an arm', proportions(0.1), 0.1, 0.01, 0.09 + 0.11 * 0.89, 14_749],
  ['0.1 σ, 2,000 an arm, CUPED 0.7', correlated(0.7), 0.1, 1, 200 * (1 - 0.49), 2000],
];
for (const [index, [name, draw, lift, effect, variance, n]] of powered.entries()) {
  if (!wanted(name)) continue;
  const rates = simulate({
    draw,
    lifts: [0, lift],
    perLook: every(Math.round(n / 20), 20),
    runs,
    seed: 3000 + index,
    truth: effect,
  });
  const error = Math.sqrt(variance / n);
  row(name, {
    fixed: `${percent(rates.fixed)} (${percent(fixedPower(effect, error, 0.05))})`,
    sequential: `${percent(rates.sequential)} (${percent(sequentialPower(effect, error, 2 * n, 0.05))})`,
  });
}
const sized = plan({
  control: { mean: 0.1, variance: 0.09 },
  treatment: { mean: 0.11, variance: 0.0979 },
  alpha: 0.05,
  power: 0.8,
  arms: 2,
});
console.log(
  `10 % → 11 % with power 80 % needs ${sized?.fixed.perArm} an arm fixed, ${sized?.sequential.perArm} sequential`,
);

console.log('\nSample ratio: alarms at any of 40 looks, 20,000 units');
const splits: [string, number[], number[]?][] = [
  ['50 : 50', [1, 1]],
  ['90 : 10', [9, 1]],
  ['3 arms', [1, 1, 1]],
  ['52 : 48 where 50 : 50 is meant', [1, 1], [52, 48]],
  ['51 : 49 where 50 : 50 is meant', [1, 1], [51, 49]],
];
for (const [index, [name, weights, actual]] of splits.entries()) {
  if (wanted(name))
    row(name, {
      alarms: percent(
        simulateSplits({ weights, ...(actual && { actual }), perLook: every(500, 40), runs, seed: 4000 + index }),
      ),
    });
}

console.log('\nGuards of error rates, 50 looks of 100 units an arm');
const guarded: [string, [number, number], number][] = [
  ['A/A, 1 %, one guard', [0.01, 0.01], 1],
  ['A/A, 1 %, four guards', [0.01, 0.01], 4],
  ['1 % → 2 %, one guard', [0.01, 0.02], 1],
  ['1 % → 3 %, one guard', [0.01, 0.03], 1],
];
for (const [index, [name, rates, guards]] of guarded.entries()) {
  if (wanted(name))
    row(name, {
      regression: percent(simulateGuards({ rates, guards, perLook: every(100, 50), runs, seed: 5000 + index })),
    });
}
