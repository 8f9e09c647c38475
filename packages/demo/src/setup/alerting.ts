import { SLOW_PROVIDER } from '../simulation/conditions.ts';
import { type ApiClient, list, property, text } from './api-client.ts';
import { createNamed } from './named.ts';

const LABELS = { team: 'shop' };

/** The first one always fires, the second one in the bad minutes of each hour, the third one never as long as the shop is well. */
const RULES = [
  {
    name: 'Searches find nothing',
    query: 'logs | where shop.search.hits exists | stats value=ratio(shop.search.hits == 0)',
    condition: { op: '>', threshold: 0.02 },
    window: '1h',
    labels: { ...LABELS, severity: 'warning' },
    annotations: { summary: '{{ value }} of all searches find nothing' },
  },
  {
    name: 'Payments are slow',
    query:
      'spans | where service.name == "payment" and kind == client | stats value=p95(duration) / 1s by server.address',
    condition: { op: '>', threshold: 1, for: '1m' },
    window: '5m',
    labels: { ...LABELS, severity: 'critical' },
    annotations: { summary: '{{ labels["server.address"] }} needs {{ value }} s to charge a card' },
  },
  {
    name: 'Requests fail',
    query: 'spans | where kind == server | stats value=ratio(status == error) by service.name',
    condition: { op: '>', threshold: 0.3, for: '5m' },
    window: '10m',
    labels: { ...LABELS, severity: 'critical' },
    annotations: { summary: '{{ labels["service.name"] }} fails {{ value }} of its requests' },
  },
];

/** The name cannot exist (RFC 2606), so this shows how a channel looks that reaches nobody. */
const CHANNEL = { name: 'Nowhere', kind: 'webhook', config: { url: 'https://nowhere.invalid/alerts' } };

const POLICY = { name: 'Shop', matchers: [{ name: 'team', op: '=', value: LABELS.team }] };

const SILENCE = {
  matchers: [
    { name: 'alertname', op: '=', value: 'Payments are slow' },
    { name: 'server.address', op: '=', value: `api.${SLOW_PROVIDER}.example` },
  ],
  ends_at: 'now+7d',
  comment: 'Known: Paywise is slow from minute 20 to 26 of each hour',
};

/** Three alert rules of which one fires, a channel to nowhere with a policy that routes to it, and a silence. */
export async function createDemoAlerting(
  api: ApiClient,
  { workspace, project }: { workspace: string; project: string },
  environment: string,
): Promise<void> {
  const base = `/api/v1/workspaces/${workspace}`;
  const channel = await createNamed(api, `${base}/channels`, CHANNEL, 'limit=200');
  const policy = { ...POLICY, channels: [text(channel, 'id')] };
  await createNamed(api, `${base}/routing-policies`, policy, '');
  const silences = list(await api.get(`${base}/silences?status=active&limit=200`));
  if (!silences.some((each) => property(each, 'comment') === SILENCE.comment))
    await api.post(`${base}/silences`, SILENCE);
  // After the route, which the first notification takes.
  for (const rule of RULES) await createNamed(api, `${base}/alert-rules`, { ...rule, project, environment });
}
