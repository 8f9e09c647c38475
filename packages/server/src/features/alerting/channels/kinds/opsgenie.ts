import { createHash } from 'node:crypto';
import {
  alertTextOf,
  cut,
  fitting,
  leftOutLength,
  leftOutText,
  ordered,
  pairsOf,
  plainLinesOf,
  type Severity,
  severityOf,
  titleOf,
} from '../message-rules.ts';
import { below, type HttpKind, postJson } from './kind.ts';

// https://docs.opsgenie.com/docs/alert-api: message 130 characters, alias 512, description 15,000, details 8,000 in all.
const maxMessage = 130;
const maxDescription = 15_000;
const maxDetails = 8_000;

const priorities: Readonly<Record<Severity, string>> = { critical: 'P1', error: 'P2', warning: 'P3', info: 'P5' };

/** What is stored: the alias is in the path of the request that closes an alert, not in its body. */
interface Stored {
  readonly alias: string;
  readonly action: 'create' | 'close';
  readonly body: Readonly<Record<string, unknown>>;
}

/** One alert for each group: `alias` is the same in all its requests. */
export const opsgenie: HttpKind<'opsgenie'> = {
  render(notification) {
    const alias = createHash('sha256').update(notification.groupKey).digest('hex');
    if (notification.status === 'resolved') return stored({ alias, action: 'close', body: { source: 'Fanion' } });
    const texts = ordered(notification.alerts).map((alert) => `${plainLinesOf(alertTextOf(alert)).join('\n')}\n\n`);
    const { kept } = fitting(texts, (text) => text.length, maxDescription - leftOutLength);
    const more = leftOutText(notification, kept.length);
    const shown = kept.length === 0 ? [cut(texts[0] ?? '', maxDescription - leftOutLength)] : kept;
    const details = fitting(
      pairsOf(notification.commonLabels),
      ([name, value]) => name.length + value.length,
      maxDetails,
    );
    return stored({
      alias,
      action: 'create',
      body: {
        message: cut(titleOf(notification), maxMessage),
        alias,
        description: [...shown, more ?? ''].join('').trim(),
        details: Object.fromEntries(details.kept),
        source: 'Fanion',
        priority: priorities[severityOf(notification)],
      },
    });
  },
  request(message, { url, api_key }) {
    const { alias, action, body } = JSON.parse(message) as Stored;
    const path = action === 'create' ? '/v2/alerts' : `/v2/alerts/${alias}/close?identifierType=alias`;
    return postJson(below(url, path), JSON.stringify(body), { authorization: `GenieKey ${api_key}` });
  },
};

function stored(message: Stored): string {
  return JSON.stringify(message);
}
