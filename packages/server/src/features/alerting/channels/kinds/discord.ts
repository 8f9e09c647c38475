import {
  alertTextOf,
  cut,
  fitting,
  leftOutLength,
  leftOutText,
  ordered,
  plainLinesOf,
  titleOf,
} from '../message-rules.ts';
import { type HttpKind, postJson } from './kind.ts';

// https://discord.com/developers/docs/resources/message#embed-object-embed-limits: a title of 256 characters, a
// description of 4,096, 6,000 in all; an address is not counted.
const maxTitle = 256;
const maxDescription = 4_096;

/** One embed. Nothing of an alert mentions anybody. */
export const discord: HttpKind<'discord'> = {
  render(notification) {
    const texts = ordered(notification.alerts).map((alert) => {
      const { url, ...shown } = alertTextOf(alert);
      return `${escaped(cut(plainLinesOf({ ...shown, url: '' }).join('\n'), 1_000))}\n${url.length > 500 ? '' : url}\n\n`;
    });
    const { kept } = fitting(texts, (text) => text.length, maxDescription - leftOutLength);
    const more = leftOutText(notification, kept.length);
    return JSON.stringify({
      embeds: [
        {
          title: cut(titleOf(notification), maxTitle),
          description: [...kept, more ?? ''].join('').trim(),
          color: notification.status === 'firing' ? 0xd92d20 : 0x12925a,
          ...(notification.alertsUrl.length <= 2_000 && { url: notification.alertsUrl }),
        },
      ],
      allowed_mentions: { parse: [] },
    });
  },
  request: (body, { url }) => postJson(url, body),
};

/** https://support.discord.com/hc/en-us/articles/210298617: characters of Markdown, after a backslash. */
function escaped(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&');
}
