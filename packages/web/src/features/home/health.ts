import type { Tone } from '../../alerting/states.ts';
import { ENTRY_SPANS, type WindowNumbers } from '../services/service-health.ts';
import { type ServiceState, serviceState } from '../services/service-state.ts';

/** A service in the window and in the equally long one before it, with what it is judged by. */
export interface JudgedService {
  readonly service: string;
  readonly window: WindowNumbers;
  readonly before: WindowNumbers;
  readonly state: ServiceState;
}

/** How a state of a service is shown in lists. */
export const SHOWN: Readonly<
  Record<ServiceState['tone'], { readonly label: string; readonly tone: Extract<Tone, 'firing' | 'pending' | 'ok'> }>
> = {
  error: { label: 'Failing', tone: 'firing' },
  warning: { label: 'Degraded', tone: 'pending' },
  noted: { label: 'OK', tone: 'ok' },
  ok: { label: 'OK', tone: 'ok' },
};

/** Compares the window of `length` milliseconds with the one before it. */
export function healthNowQuery(length: number): string {
  const measures = 'n=count(), rate=count()/window, errors=ratio(status == error), p99=p99(duration)';
  const seconds = Math.max(1, Math.round(length / 1_000));
  return `spans | where ${ENTRY_SPANS} | stats ${measures} by service.name | compare ${seconds}s`;
}

/** The rows of `healthNowQuery`. */
export function readHealthNow(rows: readonly Record<string, unknown>[]): JudgedService[] {
  return rows.map((row) => {
    const window = numbersOf(row.n, row.rate, row.errors, row.p99);
    const before = numbersOf(row.n_before, row.rate_before, row.errors_before, row.p99_before);
    const state = serviceState({ window, before, recentErrors: null, failedSpans: 0 });
    return { service: String(row['service.name'] ?? ''), window, before, state };
  });
}

function numbersOf(requests: unknown, rate: unknown, errors: unknown, p99: unknown): WindowNumbers {
  const measured = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    requests: measured(requests) ?? 0,
    rate: measured(rate) ?? 0,
    errors: measured(errors),
    p50: null,
    p99: measured(p99),
  };
}

const ORDER: readonly Tone[] = ['firing', 'pending', 'ok'];

/** The worst first: by how they are shown, then by the share of failed requests, then by requests. */
export function worstFirst(services: readonly JudgedService[]): JudgedService[] {
  const rank = ({ state }: JudgedService) => ORDER.indexOf(SHOWN[state.tone].tone);
  return services.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      (b.window.errors ?? 0) - (a.window.errors ?? 0) ||
      b.window.requests - a.window.requests ||
      a.service.localeCompare(b.service),
  );
}
