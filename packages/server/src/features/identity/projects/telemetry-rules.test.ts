import { describe, expect, it } from 'vitest';
import { type Arrivals, nextSteps, telemetryStatus } from './telemetry-rules.ts';

const now = new Date('2026-11-20T12:00:00Z');
const arrival = (signal: Arrivals['signal'], more: Partial<Arrivals> = {}): Arrivals => ({
  signal,
  items: 10,
  lastAt: new Date(now.getTime() - 1_000),
  services: ['checkout'],
  sdks: [{ name: 'opentelemetry', language: 'nodejs', version: '2.0.0' }],
  ...more,
});
const steps = (arrivals: Arrivals[]) => nextSteps(arrivals, now).map(({ step }) => step);

describe('next steps', () => {
  it('begin with a token, the exporter and a service name', () => {
    expect(steps([])).toEqual(['create_token', 'configure_exporter', 'name_service']);
  });

  it('name the missing signals, then the first query', () => {
    expect(steps([arrival('traces')])).toEqual(['send_logs', 'send_metrics', 'send_profiles', 'first_query']);
    expect(steps([arrival('traces'), arrival('logs'), arrival('metrics'), arrival('profiles')])).toEqual([
      'first_query',
    ]);
  });

  it('report silence and programs without a service name', () => {
    const lastAt = new Date(now.getTime() - 20 * 60_000);
    const [first, second] = nextSteps([arrival('logs', { lastAt, services: ['unknown_service:node'] })], now);
    expect(first?.text).toContain('for 20 minutes');
    expect(second?.step).toBe('name_service');
  });
});

describe('telemetry status', () => {
  it('lists every signal, arrived or not', () => {
    const status = telemetryStatus([arrival('logs')], now);
    expect(status.arrived).toBe(true);
    expect(status.signals.map(({ signal, arrived }) => [signal, arrived])).toEqual([
      ['traces', false],
      ['logs', true],
      ['metrics', false],
      ['profiles', false],
    ]);
    expect(status.signals[1]).toMatchObject({ last_at: '2026-11-20T11:59:59.000Z', items: 10, services: ['checkout'] });
    expect(telemetryStatus([], now).arrived).toBe(false);
  });
});
