import type { ChannelKind } from '@fanion/contract';
import { createEgress } from '../../../../platform/egress/index.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { keepingMailer } from '../../../../testing/test-people.ts';
import type { Notification, NotifiedAlert } from '../../notification.ts';
import { splitConfig } from '../config-rules.ts';
import { encryptSecrets } from '../secrets.ts';
import { createChannelSender } from '../sender.ts';
import type { ChannelRow } from '../store.ts';

export const sampleNow = Date.UTC(2026, 10, 22, 9, 30);

const labels = (service: string) => ({
  alertname: 'Checkout fails',
  'service.name': service,
  severity: 'critical',
  team: 'shop',
});

/** A firing and a resolved alert; texts contain what each format has to escape. */
export const sample: Notification = {
  groupKey: '{}/{team="shop"}:{alertname="Checkout fails"}',
  status: 'firing',
  groupLabels: { alertname: 'Checkout fails' },
  commonLabels: { alertname: 'Checkout fails', severity: 'critical', team: 'shop' },
  commonAnnotations: { runbook_url: 'https://wiki.example.com/checkout' },
  externalUrl: 'https://fanion.example.com/w/acme',
  alertsUrl: 'https://fanion.example.com/w/acme/shop/alerts',
  truncated: { firing: 0, resolved: 0 },
  alerts: [
    {
      status: 'resolved',
      labels: labels('billing'),
      annotations: { runbook_url: 'https://wiki.example.com/checkout' },
      startsAt: new Date(sampleNow - 3_600_000),
      endsAt: new Date(sampleNow),
      generatorUrl: 'https://fanion.example.com/w/acme/alerts/2?a=1&b=2',
      fingerprint: '00f3a1b2c3d4e5f6',
      value: 0.02,
      ruleId: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e01',
      instanceId: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e02',
    },
    {
      status: 'firing',
      labels: labels('cart'),
      annotations: {
        summary: 'cart fails: <b>"50 %"</b> & *more*',
        description: 'See <!channel> @everyone\nhttps://evil.example [x](https://evil.example)',
        runbook_url: 'https://wiki.example.com/checkout',
      },
      startsAt: new Date(sampleNow - 300_000),
      endsAt: null,
      generatorUrl: 'https://fanion.example.com/w/acme/alerts/3',
      fingerprint: '11f3a1b2c3d4e5f6',
      value: 0.5,
      ruleId: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e01',
      instanceId: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e03',
      explanation: { flags: [{ flag: 'checkout-v2', variant: 'on', share: 0.94 }] },
    },
  ],
};

export const resolvedSample: Notification = {
  ...sample,
  status: 'resolved',
  alerts: sample.alerts.map((alert) => ({ ...alert, status: 'resolved', endsAt: new Date(sampleNow) })),
};

/** A group of so many alerts with long texts. */
export function largeNotification(count: number, text: string): Notification {
  const [first] = sample.alerts;
  const alert = (i: number): NotifiedAlert => ({
    ...(first as NotifiedAlert),
    status: 'firing',
    labels: { ...labels(`service-${i}`), long: text },
    annotations: { summary: text, description: text },
    endsAt: null,
    instanceId: String(i),
  });
  return { ...sample, alerts: Array.from({ length: count }, (_, i) => alert(i)) };
}

const encryption = createEncryption(Buffer.from('the secret key of the tests of channels'), undefined);
const rowId = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';

export function channelRow(kind: ChannelKind, config: Readonly<Record<string, unknown>>): ChannelRow {
  const { open, secret } = splitConfig(kind, config);
  const at = new Date(sampleNow);
  return {
    id: rowId,
    workspace_id: rowId,
    name: 'On call',
    kind,
    config: open,
    secrets: encryptSecrets(encryption, rowId, secret),
    send_resolved: true,
    fallback: null,
    version: 1,
    health: 'unknown',
    health_error: null,
    health_since: null,
    created_by: null,
    created_by_name: null,
    updated_by: null,
    updated_by_name: null,
    created_at: at,
    updated_at: at,
  };
}

/** A sender that reaches loopback, with a mailer that keeps its mails. */
export function testSender(timeoutMs = 30_000) {
  const mailer = keepingMailer();
  const egress = createEgress({ allow: ['127.0.0.0/8'], timeoutMs, answerBytes: 65_536 });
  return {
    mailer,
    egress,
    encryption,
    ...createChannelSender({ egress, encryption, mailer, clock: { now: () => sampleNow } }),
  };
}

/** A configuration of each kind that sends to a recorder. */
export function configsAt(url: string): { readonly [Kind in ChannelKind]: Readonly<Record<string, unknown>> } {
  return {
    webhook: { url: `${url}/hook`, secret: 'top-secret' },
    slack: { url: `${url}/services/T0/B0/x` },
    email: { to: ['ada@example.com', 'bob@example.com'] },
    pagerduty: { url, routing_key: 'R0UT1NG' },
    opsgenie: { url, api_key: 'g-e-n-i-e' },
    teams: { url: `${url}/workflows/1/triggers/manual/paths/invoke?sig=x` },
    discord: { url: `${url}/api/webhooks/1/x` },
    telegram: { url, bot_token: '123:abc', chat_id: '-1001' },
    ntfy: { url, topic: 'secret-topic', token: 'tk_x' },
  };
}
