import { describe, expect, it } from 'vitest';
import { healthNowQuery, judge, movedText, readHealthNow, type ServiceNow, worstServicesFirst } from './health.ts';

const healthy: ServiceNow = {
  service: 'cart',
  requests: 1_000,
  requestsBefore: 1_000,
  rate: 1,
  errors: 0,
  errorsBefore: 0,
  p99: 100e6,
  p99Before: 100e6,
};

describe('the judgement of a service', () => {
  it.each([
    ['nothing wrong', {}, 'ok'],
    ['one request in a thousand fails', { errors: 0.001 }, 'ok'],
    ['one in a hundred fails', { errors: 0.01 }, 'pending'],
    ['one in twenty fails', { errors: 0.05 }, 'firing'],
    ['one of ten requests failed', { requests: 10, errors: 0.1 }, 'ok'],
    ['half as long again', { p99: 150e6 }, 'pending'],
    ['three times as long', { p99: 300e6 }, 'firing'],
    ['slow, and errors that are noticeable', { p99: 300e6, errors: 0.02 }, 'firing'],
    ['faster than before', { p99: 10e6 }, 'ok'],
    ['slow, with too few requests', { p99: 900e6, requests: 99 }, 'ok'],
    ['slow, with too few requests before', { p99: 900e6, requestsBefore: 99 }, 'ok'],
    ['nothing before', { p99: 900e6, requestsBefore: 0, p99Before: null, errorsBefore: null }, 'ok'],
  ] as const)('with %s', (_, change, tone) => {
    const judgement = judge({ ...healthy, ...change });
    expect(judgement.tone).toBe(tone);
    expect(judgement.why === '').toBe(tone === 'ok');
  });

  it('gives the reason in numbers', () => {
    expect(judge({ ...healthy, errors: 0.2 }).why).toBe('20% of requests fail');
    expect(judge({ ...healthy, p99: 250e6 }).why).toBe('p99 is 2.5 times as long as before (100 ms)');
  });
});

it('lists the worst services first', () => {
  const of = (service: string, change: Partial<ServiceNow>) => ({ ...healthy, service, ...change });
  const services = [
    of('fine', {}),
    of('slow', { p99: 200e6 }),
    of('failing', { errors: 0.1 }),
    of('worse', { errors: 0.2 }),
  ];
  expect(worstServicesFirst(services).map(({ service }) => service)).toEqual(['worse', 'failing', 'slow', 'fine']);
});

it('reads rows of which the window before has none', () => {
  const row = {
    'service.name': 'cart',
    n: 3,
    rate: 0.5,
    errors: 0,
    p99: 7,
    n_before: null,
    errors_before: null,
    p99_before: null,
  };
  expect(readHealthNow([row])).toEqual([
    {
      service: 'cart',
      requests: 3,
      requestsBefore: 0,
      rate: 0.5,
      errors: 0,
      errorsBefore: null,
      p99: 7,
      p99Before: null,
    },
  ]);
});

it('compares with the window before, of the same length', () => {
  expect(healthNowQuery(3_600_000)).toMatch(/\| compare 3600s$/);
});

describe('how a number moved', () => {
  it.each([
    [0.05, 0.03, 'share', '▲ 2.0 points'],
    [0.03, 0.05, 'share', '▼ 2.0 points'],
    [0.03, 0.0301, 'share', undefined],
    [0.03, null, 'share', undefined],
    [110, 100, 'ratio', '▲ 10%'],
    [50, 100, 'ratio', '▼ 50%'],
    [102, 100, 'ratio', undefined],
    [300, 100, 'ratio', '▲ 3.0×'],
    [300, 0, 'ratio', undefined],
  ] as const)('from %d to %d', (now, before, kind, text) => expect(movedText(now, before, kind)).toBe(text));
});
