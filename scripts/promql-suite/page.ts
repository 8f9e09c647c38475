import type { Outcome } from '../../packages/promql/src/testing/run.ts';
import { table } from '../markdown.ts';

/** What was seen of one script. */
export interface ScriptFacts {
  readonly file: string;
  readonly evals: number;
  /** Without experimental functions. */
  readonly usual: number;
  readonly misses: readonly Miss[];
}

interface Miss {
  readonly where: string;
  readonly query: string;
  readonly wrong: string;
  /** Undefined: it has none, and is a defect. */
  readonly reason: string | undefined;
}

/** Of a difference, in characters. */
const mostShown = 200;

/** Differences that have a reason, by the file, the query and the difference. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /_incremental\b|_incremental_\d|histogram_sum_over_time_2\b/,
    "Buckets have counts of up to 1e220 and 1.8e308. OpenTelemetry's counts are integers of 64 bits, and so are those of written histograms.",
  ],
  [
    /conflicting counter resets .* got \[\]$/,
    'Prometheus stores with each histogram whether its counter was reset since the one before it. Fanion compares the samples that a query reads, and so does not know it of the first sample of a range.',
  ],
  [
    /fractional_bucket_bounds/,
    "A native histogram has counts of 2.5 and 7.5. OpenTelemetry's counts are integers, to which those of written histograms are rounded.",
  ],
  [
    /count_values\("a\\xc5z"/,
    "The error is the expected one, but its text has U+FFFD in place of a byte that is not UTF-8: JavaScript's strings cannot hold that byte.",
  ],
];

export function factsOf(file: string, outcomes: readonly Outcome[]): ScriptFacts {
  const usual = outcomes.filter(({ isExperimental }) => !isExperimental);
  const misses = usual.flatMap(({ line, query, wrong, refusal }): Miss[] => {
    if (wrong === undefined) return [];
    const where = `${file}:${line}`;
    const known = reasons.find(([pattern]) => pattern.test(`${where} ${query} ${wrong}`))?.[1];
    return [{ where, query, wrong, reason: known ?? (refusal && `Its samples are refused: ${refusal}`) }];
  });
  return { file, evals: outcomes.length, usual: usual.length, misses };
}

export const unexplained = (facts: readonly ScriptFacts[]): Miss[] =>
  facts.flatMap(({ misses }) => misses.filter(({ reason }) => reason === undefined));

const sumOf = (facts: readonly ScriptFacts[], of: (one: ScriptFacts) => number) =>
  facts.reduce((sum, one) => sum + of(one), 0);

/** @param version of Prometheus */
export function pageOf(facts: readonly ScriptFacts[], version: string): string {
  const columns: readonly (readonly [string, (one: ScriptFacts) => number])[] = [
    ['evaluations', ({ evals }) => evals],
    ['without experimental functions', ({ usual }) => usual],
    ['equal', ({ usual, misses }) => usual - misses.length],
    ['different', ({ misses }) => misses.length],
  ];
  const row = (name: string, list: readonly ScriptFacts[]) => [
    name,
    ...columns.map(([, of]) => sumOf(list, of).toLocaleString('en-US')),
  ];
  const usual = sumOf(facts, (one) => one.usual);
  const share = (100 * (usual - sumOf(facts, ({ misses }) => misses.length))) / usual;
  return `# Prometheus' tests of PromQL

The scripts by which Prometheus tests its engine, through the HTTP API of a running server. Samples arrive by remote write, and each
evaluation is sent to \`/prometheus/api/v1/query\` or \`query_range\`. Values are equal to six digits, as Prometheus' own runner demands; labels,
histograms, order, errors, warnings and infos are compared too. An instant query also has to return the
same in a range query. Of native histograms, the count, the sum and the buckets are compared: the API shows neither their schema nor whether
their counter was reset. The scripts begin at 1970, so their times are moved to recent ones.

Fanion rejects [Prometheus' experimental functions and modifiers](compatibility.md#prometheus-http-api); evaluations with them do not count.

From [prometheus/prometheus](https://github.com/prometheus/prometheus) (Apache-2.0, commit ${version}), printed by \`scripts/promql-suite\`.
${share.toFixed(2)} % are equal.

${table(['file', ...columns.map(([name]) => name)], [...facts.map((one) => row(one.file, [one])), row('all', facts)])}

## Differences

${listOf(facts)}`;
}

/** Differences with the same reason are together. */
function listOf(facts: readonly ScriptFacts[]): string {
  const byReason = new Map<string, Miss[]>();
  for (const miss of facts.flatMap(({ misses }) => misses)) {
    const reason = miss.reason ?? '**unexplained**';
    byReason.set(reason, [...(byReason.get(reason) ?? []), miss]);
  }
  if (byReason.size === 0) return 'No evaluation differs.';
  const groups = [...byReason].map(([reason, misses]) => {
    const lines = misses.map(
      ({ where, query, wrong }) =>
        `  - \`${where}\`: \`${query}\`: ${wrong.slice(0, mostShown)}${wrong.length > mostShown ? '…' : ''}`,
    );
    return `- ${reason}\n${lines.join('\n')}`;
  });
  return groups.join('\n');
}
