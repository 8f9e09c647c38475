import { expect } from 'vitest';
import type { KeyValue } from '../../../../../../telemetry/src/testing/otlp.ts';
import { type Sent, sent, type TempoWorld } from './shop.ts';

export interface Answered {
  readonly labels: readonly KeyValue[];
  readonly samples: readonly { readonly timestampMs: string; readonly value: number }[];
}

export const written = (labels: readonly KeyValue[]) =>
  labels.map(({ key, value }) => `${key}=${Object.values(value).join()}`).join(' ');

/** What a server answers to metrics queries. */
export function metricAnswers(started: () => TempoWorld) {
  const range = async (q: string, more: Record<string, string> = {}) => {
    const answer = await started().get('metrics/query_range', { q, ...started().window(), step: '1s', ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.series as Answered[];
  };
  const instant = async (q: string, more: Record<string, string> = {}) => {
    const answer = await started().get('metrics/query', { q, ...started().window(), ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.series as { labels: KeyValue[]; value: number }[];
  };
  /** Values that are not 0 by series and second after the first trace. */
  const shown = (series: readonly Answered[], nameOf = written) =>
    Object.fromEntries(
      series.map(({ labels, samples }) => [
        nameOf(labels),
        Object.fromEntries(
          samples
            .filter(({ value }) => value !== 0)
            .map(({ timestampMs, value }) => [
              (Number(timestampMs) - started().begin) / 1000,
              Number(value.toPrecision(12)),
            ]),
        ),
      ]),
    );
  return { range, instant, shown };
}

/** What `shown` has, computed from the spans: a step ends at its second and is closed there. */
export const expected = (
  matches: (span: Sent) => unknown,
  keyOf: (span: Sent) => string,
  aggregate: (spans: readonly Sent[]) => number | undefined,
) => {
  const all: Record<string, Record<string, number>> = {};
  for (const span of sent.filter(matches)) {
    const second = Math.ceil(span.at / 1000);
    const step = sent.filter(
      (other) => matches(other) && keyOf(other) === keyOf(span) && Math.ceil(other.at / 1000) === second,
    );
    const value = aggregate(step);
    const own = all[keyOf(span)] ?? {};
    all[keyOf(span)] = own;
    if (value !== undefined) own[second] = Number(value.toPrecision(12));
  }
  return all;
};
export const count = (spans: readonly Sent[]) => spans.length;
export const seconds = (spans: readonly Sent[]) => spans.map(({ ms }) => ms / 1000);
export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
export const parentOf = (span: Sent) => sent.find((other) => other.trace === span.trace && other.id === span.parent);
export const childrenOf = (span: Sent) => sent.filter((other) => parentOf(other) === span).length;
export const service = ({ service }: Sent) => `resource.service.name=${service}`;
