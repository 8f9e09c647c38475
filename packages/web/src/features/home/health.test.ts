import { describe, expect, it } from 'vitest';
import { healthNowQuery, readHealthNow, SHOWN, worstFirst } from './health.ts';

const row = (service: string, change: Record<string, unknown> = {}) => ({
  'service.name': service,
  n: 1_000,
  rate: 0.5,
  errors: 0,
  p99: 100e6,
  n_before: 1_000,
  rate_before: 0.5,
  errors_before: 0,
  p99_before: 100e6,
  ...change,
});

describe('the services of the window', () => {
  it.each([
    ['nothing wrong', {}, 'ok'],
    ['one request in a thousand failed', { errors: 0.001 }, 'ok'],
    ['one in a hundred failed', { errors: 0.01 }, 'pending'],
    ['one in twenty failed', { errors: 0.05 }, 'firing'],
    ['one of ten requests failed', { n: 10, errors: 0.1 }, 'ok'],
    ['half as slow again', { p99: 150e6 }, 'pending'],
    ['three times as slow', { p99: 300e6 }, 'firing'],
    ['nothing before', { p99: 900e6, n_before: null, errors_before: null, p99_before: null }, 'ok'],
  ] as const)('are judged with %s', (_, change, tone) => {
    const [judged] = readHealthNow([row('cart', change)]);
    expect(judged && SHOWN[judged.state.tone].tone).toBe(tone);
  });

  it('are listed with the worst first', () => {
    const services = readHealthNow([
      row('fine'),
      row('slow', { p99: 200e6 }),
      row('failing', { errors: 0.1 }),
      row('worse', { errors: 0.2 }),
    ]);
    expect(worstFirst(services).map(({ service }) => service)).toEqual(['worse', 'failing', 'slow', 'fine']);
  });

  it('are compared with the window before, of the same length', () => {
    expect(healthNowQuery(3_600_000)).toMatch(/\| compare 3600s$/);
  });
});
