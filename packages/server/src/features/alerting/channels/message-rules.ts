import type { Notification, NotifiedAlert } from '../notification.ts';

/** Ends a text that was cut. */
export const cutMark = '… (truncated)';

/** At most so many characters (UTF-16 units), with a mark where something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return wholeCharacters(text.slice(0, Math.max(0, most - cutMark.length))) + cutMark;
}

/** At most so many bytes of UTF-8, with a mark where something is missing. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const kept = Buffer.from(text).subarray(0, Math.max(0, most - Buffer.byteLength(cutMark)));
  // A character that was cut in the middle becomes U+FFFD.
  return kept.toString('utf8').replace(/\uFFFD+$/, '') + cutMark;
}

function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * As many pieces from the start as fit, and how many are left out.
 * @param most the limit of their sizes together
 */
export function fitting<T>(
  pieces: readonly T[],
  sizeOf: (piece: T) => number,
  most: number,
): { kept: T[]; left: number } {
  let size = 0;
  const kept: T[] = [];
  for (const piece of pieces) {
    size += sizeOf(piece);
    if (size > most) break;
    kept.push(piece);
  }
  return { kept, left: pieces.length - kept.length };
}

/** Text for HTML, between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** `[FIRING:2] Checkout fails (service.name=cart)`: the status, what the alerts are called, and what they share. */
export function titleOf({ status, alerts, truncated, groupLabels, commonLabels }: Notification): string {
  const firing = alerts.filter((alert) => alert.status === 'firing').length + truncated.firing;
  const badge = status === 'firing' ? `FIRING:${firing}` : 'RESOLVED';
  const { alertname: grouped, ...others } = groupLabels;
  const name = grouped ?? commonLabels.alertname ?? namesOf(alerts);
  const shared = pairsOf(others).map(([key, value]) => `${key}=${value}`);
  return oneLine(`[${badge}] ${name}${shared.length === 0 ? '' : ` (${shared.join(', ')})`}`);
}

function namesOf(alerts: readonly NotifiedAlert[]): string {
  const names = [...new Set(alerts.map(({ labels }) => labels.alertname ?? 'alert'))];
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

/** What an alert says about itself in a few lines, for a person. */
export interface AlertText {
  readonly status: 'firing' | 'resolved';
  /** The annotation `summary`, or the alert's name. */
  readonly heading: string;
  /** The annotation `description`, if there is one. */
  readonly description: string | undefined;
  /** The labels and the value. */
  readonly facts: readonly (readonly [string, string])[];
  readonly since: string;
  readonly url: string;
}

export function alertTextOf({
  status,
  labels,
  annotations,
  value,
  startsAt,
  endsAt,
  generatorUrl,
}: NotifiedAlert): AlertText {
  const { alertname = 'alert', ...others } = labels;
  const runbook = annotations.runbook_url;
  const since = endsAt === null ? `since ${timeText(startsAt)}` : `from ${timeText(startsAt)} to ${timeText(endsAt)}`;
  return {
    status,
    heading: oneLine(annotations.summary || alertname),
    description: annotations.description || undefined,
    facts: [
      ...(value === null ? [] : [['value', String(value)] as const]),
      ...pairsOf(others),
      ...(runbook ? [['runbook', runbook] as const] : []),
    ],
    since,
    url: generatorUrl,
  };
}

/** The lines of an alert in plain text. */
export function plainLinesOf(alert: AlertText): string[] {
  return [
    `${alert.status === 'firing' ? 'Firing' : 'Resolved'}: ${alert.heading}`,
    ...(alert.description === undefined ? [] : [alert.description]),
    alert.facts.map(([name, value]) => `${name}=${value}`).join(', '),
    alert.since,
    alert.url,
  ].filter((line) => line !== '');
}

/** Alerts that a message leaves out, by status, if it lists so many of them in the order of `ordered`. */
export function leftOut({ alerts, truncated }: Notification, listed: number): { firing: number; resolved: number } {
  const left = ordered(alerts).slice(listed);
  const firing = left.filter(({ status }) => status === 'firing').length;
  return { firing: truncated.firing + firing, resolved: truncated.resolved + left.length - firing };
}

/** The longest text of `leftOutText`. */
export const leftOutLength = 400;

/** Says how many alerts a message leaves out, and where all are; undefined for none. */
export function leftOutText(notification: Notification, listed: number): string | undefined {
  const { firing, resolved } = leftOut(notification, listed);
  const count = firing + resolved;
  if (count === 0) return undefined;
  const { alertsUrl } = notification;
  const where = alertsUrl.length > 250 ? '' : `. All alerts: ${alertsUrl}`;
  return `${count} more ${count === 1 ? 'alert' : 'alerts'} left out (truncated): ${firing} firing, ${resolved} resolved${where}`;
}

/** Firing ones first. */
export function ordered(alerts: readonly NotifiedAlert[]): NotifiedAlert[] {
  return [
    ...alerts.filter(({ status }) => status === 'firing'),
    ...alerts.filter(({ status }) => status === 'resolved'),
  ];
}

export function pairsOf(labels: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const severities = ['critical', 'error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** The highest severity that a label `severity` of a firing alert names; without any, `error`. */
export function severityOf({ alerts }: Notification): Severity {
  const named = new Set(
    alerts.flatMap(({ status, labels }) => (status === 'firing' ? labels.severity?.toLowerCase() : [])),
  );
  return severities.find((severity) => named.has(severity)) ?? 'error';
}

/** Numbers that JSON has no form for are strings. */
export function valueJson(value: number | null): number | string | null {
  return value === null || Number.isFinite(value) ? value : String(value);
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
