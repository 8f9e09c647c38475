import type { Notification } from '../../notification.ts';
import {
  type AlertText,
  alertTextOf,
  cut,
  escapeHtml,
  fitting,
  leftOutText,
  ordered,
  plainLinesOf,
  titleOf,
} from '../message-rules.ts';

/** So that a mail stays far below what mail servers accept. */
const maxAlertsLength = 500_000;
const maxSubject = 250;

/** A mail as it is stored. */
export interface StoredMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function renderMail(notification: Notification): StoredMail {
  const title = titleOf(notification);
  const { kept } = fitting(
    ordered(notification.alerts).map(alertTextOf),
    (alert) => plainLinesOf(alert).join('').length * 2 + 500,
    maxAlertsLength,
  );
  const more = leftOutText(notification, kept.length);
  const plain = kept.map((alert) => `${plainLinesOf(alert).join('\n')}\n`);
  const end = more === undefined ? [] : [more];
  return {
    subject: cut(title, maxSubject),
    text: [title, '', ...plain, ...end, `Fanion: ${notification.alertsUrl}`].join('\n'),
    html: [
      '<!doctype html><html lang="en"><body style="font-family: sans-serif; font-size: 14px">',
      `<h2>${escapeHtml(title)}</h2>`,
      ...kept.map(alertHtml),
      ...end.map((text) => `<p>${escapeHtml(text)}</p>`),
      `<p>${link(notification.alertsUrl, 'Open Fanion')}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}

function alertHtml({ status, heading, description, facts, since, url }: AlertText): string {
  const color = status === 'firing' ? '#d92d20' : '#12925a';
  const rows = facts.map(
    ([name, value]) => `<tr><td style="padding-right: 12px">${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    `<h3 style="color: ${color}">${status === 'firing' ? 'Firing' : 'Resolved'}: ${escapeHtml(heading)}</h3>`,
    ...(description === undefined ? [] : [`<p>${escapeHtml(description).replaceAll('\n', '<br>')}</p>`]),
    `<table>${rows.join('')}</table>`,
    `<p>${escapeHtml(since)} · ${link(url, 'Open the alert')}</p>`,
  ].join('\n');
}

/** Only addresses of pages become links. */
function link(url: string, text: string): string {
  return /^https?:\/\//.test(url) ? `<a href="${escapeHtml(url)}">${text}</a>` : escapeHtml(url);
}
