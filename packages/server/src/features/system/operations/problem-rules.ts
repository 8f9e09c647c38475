import type { Operations } from '@fanion/contract';
import type { z } from 'zod';

export type State = Omit<z.output<typeof Operations>, 'problems'>;
export type Problem = z.output<typeof Operations>['problems'][number];

const dayMs = 86_400_000;
/** As the alert rules in `deploy/self` have them. */
const limits = {
  logAgeSeconds: 60,
  logFull: 0.8,
  diskFree: 0.1,
  lateSeconds: 300,
  silentSeconds: 30,
  jobFailures: 3,
  alertLagSeconds: 60,
  certificateMs: 14 * dayMs,
  backupMs: 2 * dayMs,
} as const;

/**
 * What is wrong, and what mends it; the most severe first.
 * @param now in Unix milliseconds
 */
export function problemsOf(state: State, now: number): Problem[] {
  const found = [
    ...storeProblems(state),
    ...ingestProblems(state),
    ...serverProblems(state),
    ...alertingProblems(state),
    ...certificateProblems(state, now),
    ...backupProblems(state, now),
    ...selfTelemetryProblems(state),
  ];
  return [...found.filter(isCritical), ...found.filter((problem) => !isCritical(problem))];
}

function isCritical({ severity }: Problem): boolean {
  return severity === 'critical';
}

const critical = (what: string, mend: string): Problem => ({ severity: 'critical', what, mend });
const warning = (what: string, mend: string): Problem => ({ severity: 'warning', what, mend });

const storeMends = {
  control_plane: 'Start PostgreSQL, or look for the reason in the log of the server. Flags are evaluated meanwhile.',
  telemetry_store:
    'Start ClickHouse, or look for the reason in the log of the server. Telemetry waits in the write-ahead log.',
  write_ahead_log: 'Mend the telemetry store. Nothing that was acknowledged is lost.',
  clock: 'Synchronize the clocks of this server and of PostgreSQL with NTP. Servers with right clocks do the work.',
} as const;

function storeProblems({ stores }: State): Problem[] {
  return stores.flatMap(({ name, status, detail }) => {
    if (status === 'up') return [];
    const reason = detail === undefined ? '' : `: ${detail}`;
    return [critical(`The ${name.replaceAll('_', ' ')} is ${status}${reason}.`, storeMends[name])];
  });
}

function ingestProblems({ ingest }: State): Problem[] {
  const problems: Problem[] = [];
  if (ingest.log_age_seconds > limits.logAgeSeconds)
    problems.push(
      critical(
        `Telemetry waits in the write-ahead log for ${Math.round(ingest.log_age_seconds)} s.`,
        'Look at the telemetry store: it is down, or slower than what arrives.',
      ),
    );
  if (ingest.log_bytes > limits.logFull * ingest.log_max_bytes)
    problems.push(
      critical(
        `The write-ahead log is ${percent(ingest.log_bytes / ingest.log_max_bytes)} full.`,
        'When it is full, ingest answers 503. Mend the telemetry store, or raise FANION_WAL_MAX_BYTES.',
      ),
    );
  if (ingest.disk_free_ratio < limits.diskFree)
    problems.push(
      critical(
        `Only ${percent(ingest.disk_free_ratio)} of the data disk is free.`,
        'Enlarge the disk, or shorten the retention of projects.',
      ),
    );
  return problems;
}

function serverProblems({ servers, late_jobs }: State): Problem[] {
  const problems = servers
    .filter(({ silent_seconds }) => silent_seconds > limits.silentSeconds)
    .map(({ id, silent_seconds }) =>
      warning(
        `Server ${id} was last heard of ${Math.round(silent_seconds)} s ago.`,
        'Start it again. If it was removed on purpose, it leaves this list within a day.',
      ),
    );
  const live = servers.filter(({ silent_seconds }) => silent_seconds <= limits.silentSeconds);
  if (!live.some(({ roles }) => roles.includes('jobs')))
    problems.push(
      critical(
        'No server runs background jobs, alert rules and notifications.',
        'Start a server with FANION_ROLE=jobs or all.',
      ),
    );
  const versions = [...new Set(live.map(({ version }) => version))];
  if (versions.length > 1)
    problems.push(
      warning(
        `Servers run different versions: ${versions.join(', ')}.`,
        'Finish the update: give all servers the same version.',
      ),
    );
  for (const { name, late_seconds, failures, error } of late_jobs) {
    if (failures >= limits.jobFailures)
      problems.push(
        warning(
          `The job ${name} failed ${failures} times: ${error ?? 'unknown'}.`,
          'The log of the server has the whole error.',
        ),
      );
    else if (late_seconds > limits.lateSeconds)
      problems.push(
        warning(
          `The job ${name} is ${Math.round(late_seconds)} s late.`,
          'All servers with the role jobs are busy or down: add one.',
        ),
      );
  }
  return problems;
}

function alertingProblems({ alerts, notifications }: State): Problem[] {
  const problems: Problem[] = [];
  if (notifications.given_up > 0)
    problems.push(
      critical(
        `${notifications.given_up} notifications reached nobody since the server started.`,
        'The page Channels shows which channel fails and why.',
      ),
    );
  if (alerts.failed > 0)
    problems.push(
      warning(
        `${alerts.failed} of ${alerts.evaluated} evaluations of alert rules failed since the server started.`,
        'The page of each rule shows its error.',
      ),
    );
  if ((alerts.lag_seconds ?? 0) > limits.alertLagSeconds)
    problems.push(
      warning(
        `Alert rules are evaluated ${Math.round(alerts.lag_seconds ?? 0)} s after their time.`,
        'There are too many rules, or their queries are slow: add a server with the role jobs.',
      ),
    );
  return problems;
}

function certificateProblems({ certificate_expires_at: expires }: State, now: number): Problem[] {
  if (expires === null) return [];
  const left = Date.parse(expires) - now;
  const mend = 'Replace the file in FANION_TLS_CERT. The server reads it within five seconds.';
  if (left <= 0) return [critical('The certificate has expired.', mend)];
  if (left < limits.certificateMs)
    return [warning(`The certificate expires in ${Math.ceil(left / dayMs)} days.`, mend)];
  return [];
}

function backupProblems({ backups: { scheduled, failed, last_success_at } }: State, now: number): Problem[] {
  if (!scheduled) return [];
  const age = last_success_at === null ? Number.POSITIVE_INFINITY : now - Date.parse(last_success_at);
  if (age > limits.backupMs && failed > 0)
    return [
      critical(
        `${failed} backups failed, and there is none of the last two days.`,
        'The log of the server has the reason.',
      ),
    ];
  return failed > 0
    ? [warning(`${failed} backups failed since the server started.`, 'The log of the server has the reason.')]
    : [];
}

function selfTelemetryProblems({ self_telemetry: { on, project } }: State): Problem[] {
  if (!on || project !== null) return [];
  return [
    warning(
      'Self-telemetry is on, and its project does not exist.',
      'Set FANION_SELF_TELEMETRY_PROJECT to the id of a project.',
    ),
  ];
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}
