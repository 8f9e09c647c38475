import type { Attempt } from '../../notification.ts';
import {
  type AlertText,
  alertTextOf,
  cut,
  escapeHtml,
  fitting,
  leftOutLength,
  leftOutText,
  ordered,
  titleOf,
} from '../message-rules.ts';
import { below, type HttpKind, postJson } from './kind.ts';

// https://core.telegram.org/bots/api#sendmessage: 4,096 characters after the marks are read.
const maxText = 4_096;

/** A text with Telegram's HTML (https://core.telegram.org/bots/api#html-style). The chat is added when it is sent, since it belongs to the channel. */
export const telegram: HttpKind<'telegram'> = {
  render(notification) {
    const texts = ordered(notification.alerts).map((alert) => alertHtml(alertTextOf(alert)));
    const title = `<b>${escapeHtml(cut(titleOf(notification), 256))}</b>\n\n`;
    const { kept } = fitting(texts, visibleLength, maxText - visibleLength(title) - leftOutLength);
    const more = leftOutText(notification, kept.length);
    return JSON.stringify({
      text: [title, ...kept, more === undefined ? '' : escapeHtml(more)].join('').trim(),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    });
  },
  request: (message, { url, bot_token, chat_id }) =>
    postJson(below(url, `/bot${bot_token}/sendMessage`), `{"chat_id":${JSON.stringify(chat_id)},${message.slice(1)}`),
  judge({ status, body }): Attempt | undefined {
    if (status !== 429) return undefined;
    // `parameters.retry_after`, in seconds.
    const seconds = /"retry_after"\s*:\s*(\d{1,6})/.exec(body)?.[1];
    return {
      kind: 'retry',
      status,
      error: 'HTTP 429',
      answer: body,
      ...(seconds !== undefined && { retryAfterMs: Number(seconds) * 1_000 }),
    };
  },
};

function alertHtml({ status, heading, description, facts, since, url }: AlertText): string {
  const list = facts.map(([name, value]) => `${name}=${value}`).join(', ');
  const shown = [description, list].filter((line) => line !== undefined && line !== '').join('\n');
  return [
    `${status === 'firing' ? '🔴' : '🟢'} <b>${escapeHtml(cut(heading, 256))}</b>`,
    ...(shown === '' ? [] : [escapeHtml(cut(shown, 600))]),
    `${since}${url.length > 500 ? '' : ` · <a href="${escapeHtml(url)}">Open</a>`}\n\n`,
  ].join('\n');
}

/** Telegram counts neither marks nor the addresses of links, and an escaped character as one. */
function visibleLength(html: string): number {
  return html.replace(/<[^>]*>/g, '').replace(/&[\w#]+;/g, '&').length;
}
