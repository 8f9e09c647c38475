import {
  alertTextOf,
  cutBytes,
  fitting,
  leftOutLength,
  leftOutText,
  ordered,
  plainLinesOf,
  type Severity,
  severityOf,
  titleOf,
} from '../message-rules.ts';
import { type HttpKind, postJson } from './kind.ts';

// https://docs.ntfy.sh/publish/#limitations: a longer message than 4,096 bytes becomes a file.
const maxMessage = 4_096;
const maxTitle = 250;

const priorities: Readonly<Record<Severity, number>> = { critical: 5, error: 4, warning: 4, info: 3 };

/** https://docs.ntfy.sh/publish/#publish-as-json. The topic is added when it is sent: it is a secret. */
export const ntfy: HttpKind<'ntfy'> = {
  render(notification) {
    const firing = notification.status === 'firing';
    const texts = ordered(notification.alerts).map((alert) => {
      const { url: _url, ...shown } = alertTextOf(alert);
      return `${cutBytes(plainLinesOf({ ...shown, url: '' }).join('\n'), 2_000)}\n\n`;
    });
    const { kept } = fitting(texts, (text) => Buffer.byteLength(text), maxMessage - leftOutLength);
    const more = leftOutText(notification, kept.length);
    return JSON.stringify({
      title: cutBytes(titleOf(notification), maxTitle),
      message: [...kept, more ?? ''].join('').trim(),
      priority: firing ? priorities[severityOf(notification)] : 3,
      tags: [firing ? 'rotating_light' : 'white_check_mark'],
      click: notification.alertsUrl,
    });
  },
  request: (message, { url, topic, token }) =>
    postJson(
      url,
      `{"topic":${JSON.stringify(topic)},${message.slice(1)}`,
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    ),
};
