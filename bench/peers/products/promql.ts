import { type Question, type Signal, unasked, type Window } from '../product.ts';
import { json, search } from '../run/http.ts';
import { metricName } from '../run/samples.ts';

/** Steps and windows of the rates, in seconds. */
const STEP = 300;

interface Series {
  readonly data: { readonly result: readonly { readonly value?: readonly [number, string] }[] };
}

/** How everything that speaks PromQL counts samples and answers the questions about metrics. */
export function promQl(base: string, more: Readonly<Record<string, string>> = {}) {
  const rates = async (query: string, { from, to }: Window) => {
    const range = { start: from / 1000, end: to / 1000, step: STEP };
    return (await json<Series>(`${base}/api/v1/query_range?${search({ query, ...range, ...more })}`)).data.result
      .length;
  };
  return {
    async count(_: Signal, { from, to }: Window): Promise<number> {
      const seconds = Math.ceil((to - from) / 1000) + 60;
      const query = `sum(count_over_time(${metricName}[${seconds}s]))`;
      const answer = await json<Series>(`${base}/api/v1/query?${search({ query, time: to / 1000, ...more })}`);
      return Number(answer.data.result[0]?.value?.[1] ?? 0);
    },
    async ask(question: Question, window: Window): Promise<number> {
      if (question.kind === 'rate by job, 1,000 series')
        return rates(`sum by (job) (rate(${metricName}[${STEP}s]))`, window);
      if (question.kind === 'rate by shard, 50 series')
        return rates(`sum by (shard) (rate(${metricName}{job="${question.job}"}[${STEP}s]))`, window);
      throw unasked(question);
    },
  };
}
