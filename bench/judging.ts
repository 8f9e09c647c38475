/**
 * Flags judged by telemetry.
 *
 *     npx tsx bench/judging.ts [--results] [--units 1000000] [--events 10000000] [--rounds 3]
 *     npx tsx bench/judging.ts --cached [--rounds 200]
 *     npx tsx bench/judging.ts --looks [--releases 200] [--rate 1000] [--seconds 60]
 *     npx tsx bench/judging.ts --rollback [--rounds 5] [--rate 1000]
 *     npx tsx bench/judging.ts --verdicts [--rounds 10000]
 *     npx tsx bench/judging.ts --stories [--rounds 10]
 *
 * `--results` measures ten metrics of three arms over units and events in the embedded engine, each time from the telemetry, beside a bare
 * count of the same events. `--cached` asks the built server for results that it has computed before. `--looks` prints the processor
 * time that guarded releases take beside the same traffic without them. `--rollback` measures from enough data to what a unit gets.
 * `--verdicts` simulates releases and prints how often their guards are wrong. `--stories` plays the guarded releases and experiments of the demo at four rates, and prints how
 * they end. `--cached`, `--looks` and `--rollback` start the built server: `npm run build` first.
 */
import { parseArgs } from 'node:util';
import { measureCached } from './judging/cached.ts';
import { measureLooks } from './judging/looks.ts';
import { measureResults } from './judging/results.ts';
import { measureRollback } from './judging/rollback.ts';
import { printStories } from './judging/stories.ts';
import { printVerdicts } from './judging/verdicts.ts';

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    results: flag,
    cached: flag,
    looks: flag,
    rollback: flag,
    verdicts: flag,
    stories: flag,
    units: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    rounds: { type: 'string' },
    releases: { type: 'string', default: '200' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
  },
});
const rounds = (otherwise: number) => Number(values.rounds ?? otherwise);
const perSecond = Number(values.rate);

if (values.results || !(values.cached || values.looks || values.rollback || values.verdicts || values.stories))
  await measureResults({ units: Number(values.units), events: Number(values.events), rounds: rounds(3) });
if (values.cached) await measureCached(rounds(200));
if (values.looks) await measureLooks({ releases: Number(values.releases), perSecond, seconds: Number(values.seconds) });
if (values.rollback) await measureRollback({ rounds: rounds(5), perSecond });
if (values.stories) printStories(rounds(10));
if (values.verdicts) printVerdicts(rounds(10_000));
