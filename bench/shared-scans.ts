/**
 * The bar of shared scans (docs/decisions/0047): the median time of fifty alert rules that differ in a service's name, from one
 * scan, and beside it, alternately in the same run, from a scan for each. Exits with 1 where the one takes more than a fifth of
 * the many.
 *
 *     npx tsx bench/shared-scans.ts [--rounds 9]
 */
import { parseArgs } from 'node:util';
import {
  type AlertQuestion,
  type Ask,
  alertVariant,
  createSharedAnswers,
} from '../packages/server/src/features/alerting/alert-rules/shared-answers.ts';
import { startTestStore } from '../packages/server/src/features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../packages/server/src/testing/test-gateway.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const [services, spansPerMinute, minutes] = [50, 60_000, 5];
const clock = { now: () => Date.now() };
const { signal } = new AbortController();
const to = Math.floor(clock.now() / 60_000) * 60_000;

const { store } = await startTestStore();
await store.command(`INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, span_id, parent_span_id, service, name, kind, status, resource)
  SELECT 1, 1, '', 30, fromUnixTimestamp64Milli(${to}, 'UTC') - INTERVAL ${minutes} MINUTE + toIntervalMillisecond(intDiv(number * 60000, ${spansPerMinute})), cityHash64(number) % 1000000000,
  toFixedString(unhex(leftPad(hex(number), 32, '0')), 16), toFixedString(unhex(leftPad(hex(number + 1), 16, '0')), 8), toFixedString('', 8),
  'svc-' || toString(number % ${services}), 'GET /' || toString(cityHash64(number, 2) % 20), 'server', 'ok',
  map('service.name', 'svc-' || toString(number % ${services})) FROM numbers(${spansPerMinute * minutes})`);

const gateway = testGateway(store);
const scope = { workspace: 1, project: 1, environment: undefined };
const queries = Array.from(
  { length: services },
  (_, n) => `spans | where service.name == "svc-${n}" | stats value=count(duration > 500ms) by name`,
);
const variants = queries.flatMap((query) => alertVariant(query) ?? []);
if (variants.length !== services) throw new Error('the queries have no common form');

/** Asks all queries about a window; no two rounds have the same, so that no answer is kept from an earlier one. */
async function timed(round: number, together: typeof variants): Promise<{ ms: number; asked: number }> {
  const answer = createSharedAnswers({ clock });
  const window = { fromNs: BigInt(to - 240_000 + round) * 1_000_000n, toNs: BigInt(to - 60_000 + round) * 1_000_000n };
  let asked = 0;
  const ask: Ask = (oql, limit, params) => {
    asked++;
    return gateway.ask(scope, { oql, window, limit, ...(params && { params }) }, { lane: 'alert', signal });
  };
  const began = performance.now();
  const answers = await Promise.all(
    queries.map((query, n) => {
      const question: AlertQuestion = {
        scope,
        query,
        ...window,
        limit: 1_000,
        variant: variants[n],
        together,
      };
      return answer(question, ask);
    }),
  );
  if (answers.some(({ rows }) => rows.length !== 20)) throw new Error('an answer lacks operations');
  return { ms: performance.now() - began, asked };
}

const times: { one: number[]; many: number[] } = { one: [], many: [] };
let statements = { one: 0, many: 0 };
for (let round = 0; round <= Number(values.rounds); round++) {
  const [one, many] = [await timed(2 * round, variants), await timed(2 * round + 1, [])];
  statements = { one: one.asked, many: many.asked };
  // The first round fills what is known of the scope.
  if (round === 0) continue;
  times.one.push(one.ms);
  times.many.push(many.ms);
}
const median = (of: number[]) => of.sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? Number.NaN;
const [one, many] = [median(times.one), median(times.many)];
console.log(
  `${services} rules: ${one.toFixed(1)} ms in ${statements.one} queries, ${many.toFixed(1)} ms in ${statements.many}: ${(many / one).toFixed(1)} times as fast`,
);
process.exit(one * 5 <= many ? 0 : 1);
