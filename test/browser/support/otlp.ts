import type { SignedUp } from '../../../packages/server/src/testing/test-client.ts';

/** Sends OTLP/JSON to a path, with a token of the user. */
export async function sendOtlp(user: SignedUp, path: string, body: unknown): Promise<void> {
  const token = await user.token(['telemetry:ingest']);
  const answer = await fetch(user.base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

/** Sends log lines of a service, all of this moment. */
export function sendLogs(user: SignedUp, service: string, ...bodies: string[]): Promise<void> {
  return sendRecords(user, service, bodies.map(recordOf));
}

/** Sends lines of flag evaluations, as an OpenTelemetry hook of OpenFeature logs them. */
export function sendEvaluations(user: SignedUp, service: string, ...bodies: string[]): Promise<void> {
  const eventName = 'feature_flag.evaluation';
  return sendRecords(
    user,
    service,
    bodies.map((body) => ({ ...recordOf(body), eventName })),
  );
}

function recordOf(body: string) {
  return { timeUnixNano: `${Date.now()}000000`, severityNumber: 9, body: { stringValue: body } };
}

function sendRecords(user: SignedUp, service: string, logRecords: readonly object[]): Promise<void> {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  return sendOtlp(user, '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
}
