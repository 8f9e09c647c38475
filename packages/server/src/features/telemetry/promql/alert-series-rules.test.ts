import { bitsOf, isStale } from '@fanion/promql';
import { describe, expect, it } from 'vitest';
import { type AlertPeriod, alertSeries } from './alert-series-rules.ts';
import { samplingOf } from './sampling-rules.ts';

const labels = { alertname: 'Slow', 'service.name': 'cart' };
const period = (state: AlertPeriod['state'], from: number, to: number | undefined, activeAt = from): AlertPeriod => ({
  ...{ labels, state, from, to, activeAt },
});
const sampling = samplingOf({ start: 0, end: 60_000 });
const shown = (...[metric, periods, until = 60_000]: [Parameters<typeof alertSeries>[0], AlertPeriod[], number?]) =>
  alertSeries(metric, periods, sampling, until).map(({ labels: of, times, values }) => ({
    state: of.get('alertstate'),
    samples: Array.from(times, (time, at) => [time, isStale(bitsOf(values), at) ? 'stale' : values[at]]),
  }));

describe('series of alerts', () => {
  it('are 1 from the beginning of a state to its end', () => {
    const periods = [period('pending', 10_000, 20_000), period('firing', 20_000, 47_000, 10_000)];
    expect(shown('ALERTS', periods)).toEqual([
      {
        state: 'pending',
        samples: [
          [10_000, 1],
          [15_000, 1],
          [20_000, 'stale'],
        ],
      },
      {
        state: 'firing',
        samples: [
          [20_000, 1],
          [30_000, 1],
          [45_000, 1],
          [47_000, 'stale'],
        ],
      },
    ]);
  });
  it('have the second in which the alert began through all of its states', () => {
    const periods = [period('pending', 10_000, 20_000), period('firing', 20_000, undefined, 10_000)];
    expect(shown('ALERTS_FOR_STATE', periods, 40_000)).toEqual([
      {
        state: undefined,
        samples: [
          [10_000, 10],
          [15_000, 10],
          [30_000, 10],
          [40_000, 10],
        ],
      },
    ]);
  });
  it('have labels of Prometheus', () => {
    const [series] = alertSeries('ALERTS', [period('firing', 0, undefined)], sampling, 60_000);
    expect(Object.fromEntries(series?.labels ?? [])).toEqual({
      ...{ __name__: 'ALERTS', alertname: 'Slow', alertstate: 'firing', service_name: 'cart' },
    });
  });
  it('are one where alerts have equal labels, and begin again after an end', () => {
    const periods = [period('firing', 0, 20_000), period('firing', 10_000, 30_000), period('firing', 50_000, 55_000)];
    expect(shown('ALERTS', periods)[0]?.samples).toEqual([
      [15_000, 1],
      [30_000, 'stale'],
      [50_000, 1],
      [55_000, 'stale'],
    ]);
  });
  it('leave out what was over before the window', () => {
    expect(shown('ALERTS', [period('firing', -20_000, -10_000)])).toEqual([]);
  });
});
