import type { AlertDefinition } from '@fanion/contract';
import type { SloRuleSpec } from '../../alerting/alert-rules/index.ts';
import { type BurnPair, burnPairs, isReachable, nominalPeriodMs } from '../budget/index.ts';
import { stepOf } from './indicator-rules.ts';
import { isPromql } from './promql-rules.ts';
import type { SloRow, SloValues } from './store.ts';

/** The burn-rate alert rules of an SLO, one for each severity; none while they are off. */
export function rulesOf({
  id,
  revision,
  name,
  definition,
}: Pick<SloRow, 'id' | 'revision'> & SloValues): SloRuleSpec[] {
  if (!definition.burn_alerts) return [];
  const pairs = burnPairs(nominalPeriodMs(definition.window)).filter((pair) => isReachable(pair, definition.objective));
  return (['page', 'ticket'] as const).flatMap((severity) => {
    const own = pairs.filter((pair) => pair.severity === severity);
    if (own.length === 0) return [];
    return [
      {
        name: `${name}: error budget (${severity})`.slice(0, 200),
        query: queryOf(definition.indicator),
        definition: definitionOf({ id, revision, name, definition }, severity, own),
      },
    ];
  });
}

function definitionOf(
  { id, revision, name, definition }: Pick<SloRow, 'id' | 'revision'> & SloValues,
  severity: BurnPair['severity'],
  pairs: readonly BurnPair[],
): AlertDefinition {
  const { indicator, objective, min_events } = definition;
  return {
    kind: 'slo_burn',
    ...(isPromql(indicator) && { query_language: 'promql' }),
    condition: {
      op: '>',
      threshold: Math.min(...pairs.map(({ factor }) => factor)),
      for: '0s',
      keep_firing_for: '0s',
    },
    change: null,
    burn: {
      slo: id,
      revision,
      severity,
      objective,
      // A window of five minutes has five slices of a minute: each of them has been measured.
      min_events: indicator.kind === 'slices' ? 1 : min_events,
      step_seconds: stepOf(indicator) / 1_000,
      windows: pairs.map(({ long, short, factor }) => ({ long, short, factor })),
    },
    every: '1m',
    offset: '0s',
    window: pairs[0]?.long ?? '1h',
    labels: { severity, slo: name },
    annotations: {
      summary:
        '{{ labels.slo }} spends its error budget {{ value }} times as fast as its objective allows, over {{ labels.long_window }} and {{ labels.short_window }}',
    },
    runbook_url: null,
    no_data: 'ok',
    missing_series: 'resolve',
    on_error: 'keep',
  };
}

/** Shown with the rule, and read where an alert is explained; what is judged is the SLO's roll-up. */
function queryOf(indicator: SloValues['definition']['indicator']): string {
  switch (indicator.kind) {
    case 'events':
      return `${indicator.source}\n| stats value=ratio(not (${indicator.good}\n))`;
    case 'ratio':
      return indicator.total;
    case 'slices':
      return indicator.query;
  }
}
