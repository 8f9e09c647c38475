import { describe, expect, it } from 'vitest';
import { problemsOf, type State } from './problem-rules.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const day = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();

const server = {
  id: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f',
  roles: ['api', 'ingest', 'flags', 'jobs'],
  version: '0.3.0',
  started_at: at(now - day),
  silent_seconds: 2,
  answers: true,
};
const ingest: State['ingest'] = {
  log_bytes: 10,
  log_max_bytes: 100,
  log_age_seconds: 1,
  disk_free_bytes: 50,
  disk_free_ratio: 0.5,
  insert_seconds: 0.1,
  refused: [],
};
const well: State = {
  servers: [server],
  stores: [
    { name: 'control_plane', status: 'up' },
    { name: 'telemetry_store', status: 'up' },
    { name: 'write_ahead_log', status: 'up' },
  ],
  ingest,
  late_jobs: [],
  alerts: { evaluated: 100, failed: 0, lag_seconds: 5 },
  notifications: { delivered: 3, retried: 1, given_up: 0 },
  backups: { scheduled: true, failed: 0, last_success_at: at(now - day) },
  certificate_expires_at: at(now + 60 * day),
  self_telemetry: { on: false, project: null, stored: 0, dropped: 0 },
};
const late = { name: 'usage.hourly', late_seconds: 10, failures: 0, error: null };

describe('problems of a server', () => {
  it('are none while all is well', () => {
    expect(problemsOf(well, now)).toEqual([]);
  });

  it.each<[string, Partial<State>, 'critical' | 'warning', RegExp]>([
    [
      'a store that is down',
      { stores: [{ name: 'telemetry_store', status: 'down', detail: 'refused' }] },
      'critical',
      /^The telemetry store is down: refused\.$/,
    ],
    [
      'a clock that is not trusted',
      { stores: [{ name: 'clock', status: 'degraded', detail: '3600 s ahead of PostgreSQL' }] },
      'critical',
      /^The clock is degraded: 3600 s ahead of PostgreSQL\.$/,
    ],
    ['an old log', { ingest: { ...ingest, log_age_seconds: 61 } }, 'critical', /waits in the write-ahead log for 61 s/],
    ['a log that is nearly full', { ingest: { ...ingest, log_bytes: 81 } }, 'critical', /log is 81 % full/],
    [
      'a disk that is nearly full',
      { ingest: { ...ingest, disk_free_ratio: 0.09 } },
      'critical',
      /Only 9 % of the data disk/,
    ],
    ['a silent server', { servers: [server, { ...server, silent_seconds: 31 }] }, 'warning', /last heard of 31 s ago/],
    [
      'nobody with the role jobs',
      { servers: [{ ...server, roles: ['api'] }] },
      'critical',
      /No server runs background jobs/,
    ],
    [
      'different versions',
      { servers: [server, { ...server, version: '0.4.0' }] },
      'warning',
      /different versions: 0\.3\.0, 0\.4\.0/,
    ],
    ['a late job', { late_jobs: [{ ...late, late_seconds: 301 }] }, 'warning', /usage\.hourly is 301 s late/],
    [
      'a failing job',
      { late_jobs: [{ ...late, failures: 3, error: 'timeout' }] },
      'warning',
      /failed 3 times: timeout/,
    ],
    [
      'lost notifications',
      { notifications: { delivered: 0, retried: 0, given_up: 2 } },
      'critical',
      /^2 notifications reached nobody/,
    ],
    ['failed evaluations', { alerts: { evaluated: 9, failed: 1, lag_seconds: 1 } }, 'warning', /^1 of 9 evaluations/],
    ['late evaluations', { alerts: { evaluated: 9, failed: 0, lag_seconds: 61 } }, 'warning', /61 s after their time/],
    ['a certificate that expires', { certificate_expires_at: at(now + 13 * day) }, 'warning', /expires in 13 days/],
    ['a certificate that has expired', { certificate_expires_at: at(now) }, 'critical', /has expired/],
    [
      'a failed backup',
      { backups: { scheduled: true, failed: 1, last_success_at: at(now - day) } },
      'warning',
      /^1 backups failed/,
    ],
    [
      'no backup for long',
      { backups: { scheduled: true, failed: 2, last_success_at: at(now - 3 * day) } },
      'critical',
      /none of the last two days/,
    ],
    [
      'self-telemetry without its project',
      { self_telemetry: { ...well.self_telemetry, on: true } },
      'warning',
      /project does not exist/,
    ],
  ])('name %s, with what mends it', (_name, change, severity, what) => {
    const [problem, ...more] = problemsOf({ ...well, ...change }, now);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ severity, what: expect.stringMatching(what) });
    expect(problem?.mend).toMatch(/\.$/);
  });

  it('have the most severe first', () => {
    const state = {
      ...well,
      alerts: { ...well.alerts, failed: 1 },
      notifications: { ...well.notifications, given_up: 1 },
    };
    const severities = problemsOf({ ...state, certificate_expires_at: at(now + day) }, now).map(
      ({ severity }) => severity,
    );
    expect(severities).toEqual(['critical', 'warning', 'warning']);
  });
});
