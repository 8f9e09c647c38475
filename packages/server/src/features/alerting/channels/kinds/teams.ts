import type { Attempt } from '../../notification.ts';
import { type AlertText, alertTextOf, cut, fitting, leftOutText, ordered, titleOf } from '../message-rules.ts';
import { type HttpKind, postJson } from './kind.ts';

// https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook: a
// message of 28 KB.
const maxBytes = 28_000;
const maxTitle = 500;
const maxText = 2_000;

/**
 * An adaptive card for a workflow that posts to a channel. Texts are text runs, which know no Markdown, so that nothing
 * of an alert becomes a link or a mention.
 */
export const teams: HttpKind<'teams'> = {
  render(notification) {
    const firing = notification.status === 'firing';
    const elements = ordered(notification.alerts).map((alert) => container(alertTextOf(alert)));
    const title = text(cut(titleOf(notification), maxTitle), { size: 'Large', weight: 'Bolder' });
    const { kept } = fitting(elements, (element) => Buffer.byteLength(JSON.stringify(element)) + 1, maxBytes - 6_000);
    const more = leftOutText(notification, kept.length);
    return JSON.stringify({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            msteams: { width: 'Full' },
            body: [
              { type: 'Container', style: firing ? 'attention' : 'good', bleed: true, items: [title] },
              ...kept,
              ...(more === undefined ? [] : [text(more, { isSubtle: true })]),
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open Fanion', url: notification.alertsUrl }],
          },
        },
      ],
    });
  },
  request: (body, { url }) => postJson(url, body),
  judge({ status, body }): Attempt | undefined {
    // The older connectors answer 200 and name the error of Teams in the text.
    const error = status === 200 ? /HTTP error (\d{3})/.exec(body)?.[1] : undefined;
    if (error === undefined) return undefined;
    const kind = error === '429' || error.startsWith('5') ? 'retry' : 'final';
    return { kind, status, error: `Teams answered HTTP error ${error}`, answer: body };
  },
};

function container({ status, heading, description, facts, since, url }: AlertText) {
  const shown = [description, facts.map(([name, value]) => `${name}=${value}`).join(', ')]
    .filter((line) => line !== undefined && line !== '')
    .join('\n');
  return {
    type: 'Container',
    separator: true,
    items: [
      text(cut(`${status === 'firing' ? '🔴' : '🟢'} ${heading}`, maxTitle), { weight: 'Bolder' }),
      ...(shown === '' ? [] : [text(cut(shown, maxText))]),
      text(since, { isSubtle: true }),
    ],
    ...(url.length <= 2_000 && { selectAction: { type: 'Action.OpenUrl', url } }),
  };
}

function text(shown: string, look: Readonly<Record<string, unknown>> = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: shown, ...look }] };
}
