/**
 * Error rates, coverage and power of @fanion/stats, by simulation. Every run is seeded, so that it gives the same figures again.
 *
 *     npx tsx bench/stats.ts [--runs 10000] [--only text]
 */
import { parseArgs } from 'node:util';
import { fixedPower, plan, sequentialPower } from '@fanion/stats';
import {
  clustered,
  clusteredBefore,
  correlated,
  type Draw,
  durations,
  growing,
  normals,
  phased,
  proportions,
  revenue,
  type Series,
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

/** Phases of other weights and rates: first half and half, then one to four. */
const twoPhases = (draws: readonly [Draw, Draw], lifts: readonly number[]) =>
  phased(
    [
      { draw: draws[0], perLook: [100, 100], looks: 10 },
      { draw: draws[1], perLook: [50, 200], looks: 10 },
    ],
    lifts,
  );
const later =
  (draw: Draw): Draw =>
  (random, n, lift) => {
    const sample = draw(random, n, lift);
    // In the second phase the values of all units are higher by 5
    return sample.kind === 'adjusted'
      ? { ...sample, x: sample.x + 5 * n, xx: sample.xx + 10 * sample.x + 25 * n, xb: sample.xb + 5 * sample.b }
      : sample;
  };

const none = (draw: Draw, perLook: readonly number[], arms = 2): Series => growing(draw, every(0, arms), perLook);
const aa: [string, Series][] = [
  ['conversion 0.2 %, 10,000 an arm', none(proportions(0.002), every(500, 20))],
  ['conversion 2 %, 10,000 an arm', none(proportions(0.02), every(500, 20))],
  ['conversion 20 %, 4,000 an arm', none(proportions(0.2), every(200, 20))],
  ['conversion 20 %, 50 looks', none(proportions(0.2), every(80, 50))],
  ['conversion 2 %, ramp steps', none(proportions(0.02), ramp)],
  ['conversion 2 %, 3 arms, Holm', none(proportions(0.02), every(300, 20), 3)],
  ['mean, normal, 2,000 an arm', none(normals, every(100, 20))],
  ['mean, heavy tail (log-normal, σ 1.5), 5 % buy', none(revenue(0.05, 1.5), every(300, 20))],
  ['the same, capped', none(revenue(0.05, 1.5, 15), every(300, 20))],
  ['ratio, clusters, 2 % errors', none(clustered(0.02), every(100, 20))],
  ['CUPED, correlation 0.7, 2,000 an arm', none(correlated(0.7), every(100, 20))],
  ['ratio, clusters, 0.2 % errors', none(clustered(0.002), every(500, 20))],
  ['ratio, clusters, 20 % errors', none(clustered(0.2), every(100, 20))],
  ['ratio with CUPED, 5 % errors', none(clusteredBefore(0.05), every(100, 20))],
  ['p90 of durations, clusters, 1,000 an arm', durations(0.9, [0, 0], every(100, 10))],
  ['mean, heavy tail, ramp steps', none(revenue(0.05, 1.5), ramp)],
  ['CUPED, 3 arms, Holm', none(correlated(0.7), every(100, 20), 3)],
  ['two phases, 10 % and 30 %', twoPhases([proportions(0.1), proportions(0.3)], [0, 0])],
  ['two phases with CUPED', twoPhases([correlated(0.7), later(correlated(0.7))], [0, 0])],
];
console.log(`A/A: shares of ${runs} runs with a verdict, α 5 %`);
for (const [index, [name, series]] of aa.entries()) {
  if (!wanted(name)) continue;
  const rates = simulate({ series, runs, seed: 1000 + index });
  row(name, {
    sequential: percent(rates.sequential),
    fixed: percent(rates.fixed),
    peeked: percent(rates.peeked),
    'relative, any events': percent(rates.relative),
    coverage: percent(rates.coverage),
  });
}

console.log('\nCoverage of the fixed interval with an effect');
/** e to the power of 1.2816 standard deviations of the logarithm, √(0.5² + 0.8²): the p90 of the durations. */
const p90 = Math.exp(1.2815515655446004 * Math.sqrt(0.89));
const covered: [string, Series, number][] = [
  ['conversion 2 % → 2.4 %', growing(proportions(0.02), [0, 0.2], [5000]), 0.004],
  ['conversion 20 % → 22 %', growing(proportions(0.2), [0, 0.1], [2000]), 0.02],
  ['mean, 0.1 σ', growing(normals, [0, 0.1], [2000]), 1],
  ['CUPED, 0.1 σ, correlation 0.7', growing(correlated(0.7), [0, 0.1], [2000]), 1],
  ['ratio, clusters, 2 % → 2.4 %', growing(clustered(0.02), [0, 0.2], [2000]), 0.004],
  ['ratio with CUPED, 5 % → 6 %', growing(clusteredBefore(0.05), [0, 0.2], [2000]), 0.01],
  ['p90 of durations, + 10 %', durations(0.9, [0, 0.1], [2000]), 0.1 * p90],
  ['two phases with CUPED, 0.1 σ', twoPhases([correlated(0.7), later(correlated(0.7))], [0, 0.1]), 1],
];
for (const [index, [name, series, truth]] of covered.entries()) {
  if (wanted(name)) row(name, { coverage: percent(simulate({ series, runs, seed: 2000 + index, truth }).coverage) });
}

console.log('\nPower, simulated and as the calculator says');
const powered: [string, Draw, number, number, number, number][] = [
  ['0.1 σ, 2,000 an arm', normals, 0.1, 1, 200, 2000],
  ['conversion 10 % → 11 %, 14,749 an arm', proportions(0.1), 0.1, 0.01, 0.09 + 0.11 * 0.89, 14_749],
  ['0.1 σ, 2,000 an arm, CUPED 0.7', correlated(0.7), 0.1, 1, 200 * (1 - 0.49), 2000],
];
for (const [index, [name, draw, lift, effect, variance, n]] of powered.entries()) {
  if (!wanted(name)) continue;
  const series = growing(draw, [0, lift], every(Math.round(n / 20), 20));
  const rates = simulate({ series, runs, seed: 3000 + index, truth: effect });
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
