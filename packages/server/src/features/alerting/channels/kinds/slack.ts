import type { Attempt } from '../../notification.ts';
import { type AlertText, alertTextOf, cut, fitting, leftOutText, ordered, titleOf } from '../message-rules.ts';
import { type HttpKind, postJson } from './kind.ts';

// Limits of https://docs.slack.dev/reference/block-kit/blocks: 50 blocks, a header of 150 characters, a section of 3,000.
const maxAlerts = 20;
/** All texts of a message together; Slack rejects long ones with `msg_blocks_too_long`, at a limit that it does not publish. */
const maxTexts = 10_000;
const maxHeader = 150;
const maxSection = 3_000;

/** Blocks in one attachment, which gives them a color. */
export const slack: HttpKind<'slack'> = {
  render(notification) {
    const title = titleOf(notification);
    const blocks = ordered(notification.alerts).map((alert) => alertBlock(alertTextOf(alert)));
    const { kept } = fitting(blocks.slice(0, maxAlerts), (text) => text.length, maxTexts);
    const more = leftOutText(notification, kept.length);
    return JSON.stringify({
      text: escaped(cut(title, maxSection / 2)),
      attachments: [
        {
          color: notification.status === 'firing' ? '#d92d20' : '#12925a',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: cut(title, maxHeader), emoji: false } },
            ...kept.map(section),
            ...(more === undefined ? [] : [section(escaped(more))]),
            section(link(notification.alertsUrl, 'Open Fanion')),
          ],
        },
      ],
    });
  },
  request: (body, { url }) => postJson(url, body),
  judge({ status, body }): Attempt | undefined {
    if (status !== 200) return undefined;
    // Some failures have status 200: the name of the error instead of `ok`.
    const error =
      /^[a-z]+(_[a-z]+)+$/.exec(body.trim())?.[0] ?? /"ok"\s*:\s*false.*"error"\s*:\s*"(\w+)"/s.exec(body)?.[1];
    if (error === undefined) return undefined;
    const kind = /^(rate_limited|ratelimited|rollup_error|internal_error|fatal_error|service_unavailable)$/.test(error)
      ? 'retry'
      : 'final';
    return { kind, status, error: `Slack answered ${error}`, answer: body };
  },
};

/** Verbatim: Slack turns no name in it into a mention or a link. */
function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

function alertBlock({ status, heading, description, facts, since, url }: AlertText): string {
  const sign = status === 'firing' ? ':red_circle:' : ':large_green_circle:';
  const list = facts.map(([name, value]) => `${name}=${value}`).join(', ');
  const text = [heading, description, list].filter((line) => line !== undefined && line !== '').join('\n');
  const end = `\n${since} · ${link(url, 'Open')}`;
  // Each character takes at most five after escaping.
  const room = maxSection - sign.length - 1 - end.length;
  let shown = escaped(text);
  if (shown.length > room) shown = escaped(cut(text, Math.floor(room / 5)));
  return `${sign} ${shown}${end}`;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** An address that is too long for a section is left out. */
function link(url: string, text: string): string {
  const address = escaped(url).replaceAll('|', '%7C');
  return address.length > 2_000 ? text : `<${address}|${text}>`;
}
