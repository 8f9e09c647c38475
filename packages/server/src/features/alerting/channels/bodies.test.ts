import type { ChannelKind } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Notification } from '../notification.ts';
import { cut, cutBytes, cutMark, titleOf } from './message-rules.ts';
import { channelRow, configsAt, largeNotification, resolvedSample, sample, testSender } from './testing/sample.ts';

const sender = testSender();
const configs = configsAt('https://receiver.example.com');
const render = (kind: ChannelKind, notification: Notification) =>
  JSON.parse(sender.render(channelRow(kind, configs[kind]), notification));
const text = (most: number) => z.string().min(1).max(most);
const textRun = z.looseObject({ type: z.literal('TextRun'), text: z.string().min(1) });
const richText = z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1) });
const openUrl = { type: z.literal('Action.OpenUrl'), url: z.url() };
const section = z.strictObject({
  type: z.literal('section'),
  text: z.strictObject({ type: z.literal('mrkdwn'), text: text(3_000), verbatim: z.boolean() }),
});

/**
 * What each receiver documents about its bodies: required fields, closed lists, longest texts. The secrets that are added when a
 * message is sent are left out.
 */
const documented: Readonly<Record<string, { readonly body: z.ZodType; readonly bytes: number }>> = {
  // https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
  webhook: {
    bytes: 1024 ** 2,
    body: z.strictObject({
      version: z.literal('4'),
      groupKey: z.string(),
      truncatedAlerts: z.int().min(0),
      status: z.enum(['firing', 'resolved']),
      receiver: z.string(),
      groupLabels: z.record(z.string(), z.string()),
      commonLabels: z.record(z.string(), z.string()),
      commonAnnotations: z.record(z.string(), z.string()),
      externalURL: z.url(),
      fanion: z.strictObject({
        truncated: z.strictObject({ firing: z.int().min(0), resolved: z.int().min(0) }),
        alerts_url: z.url(),
      }),
      alerts: z.array(
        z.strictObject({
          status: z.enum(['firing', 'resolved']),
          labels: z.record(z.string(), z.string()),
          annotations: z.record(z.string(), z.string()),
          startsAt: z.iso.datetime(),
          endsAt: z.iso.datetime(),
          generatorURL: z.url(),
          fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
          // As Grafana sends it: https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
          values: z.record(z.string(), z.union([z.number(), z.string()])),
          fanion: z.strictObject({ rule_id: z.string(), instance_id: z.string(), explanation: z.unknown() }),
        }),
      ),
    }),
  },
  // https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
  slack: {
    bytes: 100_000,
    body: z.strictObject({
      text: text(4_000),
      attachments: z.tuple([
        z.strictObject({
          color: z.string().regex(/^#[0-9a-f]{6}$/),
          blocks: z
            .array(
              z.discriminatedUnion('type', [
                section,
                z.strictObject({
                  type: z.literal('header'),
                  text: z.strictObject({ type: z.literal('plain_text'), text: text(150), emoji: z.boolean() }),
                }),
              ]),
            )
            .min(1)
            .max(50),
        }),
      ]),
    }),
  },
  // https://developer.pagerduty.com/docs/events-api-v2-overview (schema: pd-cef)
  pagerduty: {
    bytes: 511_000,
    body: z.discriminatedUnion('event_action', [
      z.strictObject({ event_action: z.literal('resolve'), dedup_key: text(255) }),
      z.strictObject({
        event_action: z.literal('trigger'),
        dedup_key: text(255),
        client: z.string(),
        client_url: z.url(),
        links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
        payload: z.strictObject({
          summary: text(1_024),
          source: text(255),
          severity: z.enum(['critical', 'error', 'warning', 'info']),
          timestamp: z.iso.datetime().optional(),
          custom_details: z.record(z.string(), z.unknown()),
        }),
      }),
    ]),
  },
  // https://docs.opsgenie.com/docs/alert-api; the request's path and body are stored together
  opsgenie: {
    bytes: 100_000,
    body: z.discriminatedUnion('action', [
      z.strictObject({ action: z.literal('close'), alias: text(512), body: z.strictObject({ source: text(100) }) }),
      z.strictObject({
        action: z.literal('create'),
        alias: text(512),
        body: z.strictObject({
          message: text(130),
          alias: text(512),
          description: text(15_000),
          details: z
            .record(z.string(), z.string())
            .refine((details) => Object.entries(details).flat().join('').length <= 8_000),
          source: text(100),
          priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
        }),
      }),
    ]),
  },
  // https://adaptivecards.io/explorer/, https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
  teams: {
    bytes: 28_000,
    body: z.strictObject({
      type: z.literal('message'),
      attachments: z.tuple([
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.url(),
            type: z.literal('AdaptiveCard'),
            version: z.literal('1.4'),
            msteams: z.unknown(),
            body: z.array(
              z.discriminatedUnion('type', [
                richText,
                z.looseObject({
                  type: z.literal('Container'),
                  items: z.array(richText).min(1),
                  selectAction: z.strictObject(openUrl).optional(),
                }),
              ]),
            ),
            actions: z.array(z.strictObject({ ...openUrl, title: z.string() })),
          }),
        }),
      ]),
    }),
  },
  // https://discord.com/developers/docs/resources/webhook#execute-webhook, …/message#embed-object-embed-limits
  discord: {
    bytes: 100_000,
    body: z.strictObject({
      embeds: z
        .array(
          z.strictObject({ title: text(256), description: text(4_096), color: z.int().max(0xffffff), url: z.url() }),
        )
        .max(10)
        .refine((embeds) => embeds.every(({ title, description }) => title.length + description.length <= 6_000)),
      allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    }),
  },
  // https://core.telegram.org/bots/api#sendmessage: 4,096 characters without marks
  telegram: {
    bytes: 100_000,
    body: z.strictObject({
      text: z.string().refine((html) => {
        const rest = html.replace(/<\/?b>|<a href="[^"<>]*">|<\/a>/g, '');
        const shown = rest.replace(/&(lt|gt|amp|quot|#39);/g, '&');
        return !/[<>]/.test(rest) && shown.length <= 4_096;
      }),
      parse_mode: z.literal('HTML'),
      link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
    }),
  },
  // https://docs.ntfy.sh/publish/#publish-as-json, …#limitations
  ntfy: {
    bytes: 20_000,
    body: z.strictObject({
      title: text(250),
      message: z.string().refine((message) => Buffer.byteLength(message) <= 4_096),
      priority: z.int().min(1).max(5),
      tags: z.array(z.string()),
      click: z.url(),
    }),
  },
};

const hostile = [
  ['a firing group', sample],
  ['a resolved group', resolvedSample],
  ['a group without alerts', { ...sample, alerts: [], truncated: { firing: 3, resolved: 0 } }],
  ['a thousand alerts', largeNotification(1_000, 'x'.repeat(300))],
  ['alerts with long texts', largeNotification(3, 'a<b>&"c" '.repeat(5_000))],
  ['alerts with texts of many bytes', largeNotification(50, '🔥ü'.repeat(2_000))],
  ['alerts with characters that JSON escapes', largeNotification(50, '\u0001\u2028"\\'.repeat(2_000))],
  [
    'long names',
    { ...sample, groupLabels: { alertname: 'n'.repeat(5_000) }, commonLabels: { 'service.name': 's'.repeat(1_024) } },
  ],
  [
    'a value without a form in JSON',
    { ...sample, alerts: sample.alerts.map((alert) => ({ ...alert, value: Number.NaN })) },
  ],
] as const satisfies readonly (readonly [string, Notification])[];

describe.each(Object.entries(documented))('a body for %s', (kind, { body, bytes }) => {
  it.each(hostile)('is what the receiver documents for %s', (_name, notification) => {
    const rendered = render(kind as ChannelKind, notification);
    expect(body.safeParse(rendered).error).toBe(undefined);
    expect(Buffer.byteLength(JSON.stringify(rendered))).toBeLessThanOrEqual(bytes);
  });

  it('says that it leaves something out', () => {
    const rendered = JSON.stringify(render(kind as ChannelKind, largeNotification(5_000, 'x'.repeat(1_000))));
    expect(rendered).toMatch(/more alerts left out \(truncated\)|"truncated_?alerts":[1-9]/i);
  });

  it('says how many of those fire and how many are resolved, and where all are', () => {
    const large = largeNotification(5_000, 'x'.repeat(1_000));
    const mixed = { ...large, truncated: { firing: 0, resolved: 7_000 } };
    const rendered = JSON.stringify(render(kind as ChannelKind, mixed));
    expect(rendered).toMatch(/[1-9]\d* firing, 7000 resolved|"truncated":\{"firing":[1-9]\d*,"resolved":7000\}/);
    expect(rendered).toContain('https://fanion.example.com/w/acme/shop/alerts');
  });
});

describe('a mail', () => {
  it.each(hostile)('contains no markup of %s', (_name, notification) => {
    const { subject, html } = render('email', notification);
    const own = /<\/?(?:html|body|h2|h3|p|table|tr|td|a)(?: (?:lang|style|href)="[^"<>]*")*>|<br>|<!doctype html>/g;
    expect(html.replace(own, '')).not.toMatch(/[<>]/);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(subject.length).toBeLessThanOrEqual(250);
    expect(html.length).toBeLessThan(5_000_000);
  });
});

describe('a cut text', () => {
  it('keeps its limit and whole characters, and says that it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 20, max: 200 }), (given, most) => {
        for (const [shown, size] of [
          [cut(given, most), cut(given, most).length],
          [cutBytes(given, most), Buffer.byteLength(cutBytes(given, most))],
        ] as const) {
          expect(size).toBeLessThanOrEqual(most);
          // Throws for half a character.
          expect(() => encodeURIComponent(shown)).not.toThrow();
          expect(
            shown === given || (shown.endsWith(cutMark) && given.startsWith(shown.slice(0, -cutMark.length))),
          ).toBe(true);
        }
      }),
    );
  });
});

describe('a title', () => {
  it.each([
    [sample, '[FIRING:1] Checkout fails'],
    [resolvedSample, '[RESOLVED] Checkout fails'],
    [{ ...sample, truncated: { firing: 4, resolved: 3 } }, '[FIRING:5] Checkout fails'],
    [
      { ...sample, groupLabels: { 'service.name': 'cart', region: 'eu' } },
      '[FIRING:1] Checkout fails (region=eu, service.name=cart)',
    ],
    [{ ...sample, groupLabels: {}, commonLabels: {} }, '[FIRING:1] Checkout fails'],
  ])('%# says how many fire, and what they share', (notification, title) => {
    expect(titleOf(notification)).toBe(title);
  });
});
