import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

const origin = 'https://shop.example.com';
/** More than any of these routes reads. */
const tooLarge = `[${' '.repeat(9 * 1024 * 1024)}]`;

/** Errors of which no handler knows: the body could not be read. */
describe('pages that use SDKs of other products', () => {
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    server = await startTestServer();
    const user = await signUp(server.base, 'page-errors');
    key = await user.sdkKey('production', { kind: 'client', allowed_origins: [origin] });
  });
  afterAll(() => server?.stop());

  const send = (path: string, body: string, headers: Record<string, string>) =>
    fetch(server.base + path.replace('{key}', key), {
      method: 'POST',
      body,
      headers: { authorization: key, 'content-type': 'application/json', ...headers },
    });
  const readable = ({ headers }: Response) => headers.get('access-control-allow-origin');

  describe.each([
    ['LaunchDarkly values', '/sdk/evalx/{key}/context'],
    ['LaunchDarkly events', '/events/bulk/{key}'],
    ['Unleash toggles', '/unleash/api/frontend'],
    ['Unleash metrics', '/unleash/api/frontend/client/metrics'],
    ['GrowthBook features', '/growthbook/api/eval/{key}'],
    ['GrowthBook events', '/growthbook/track?client_key={key}'],
  ])('%s', (_name, path) => {
    it.each([
      ['too large', tooLarge, {}, 413],
      ['malformed', '{"a":', {}, 400],
      ['of an unknown type', '<a/>', { 'content-type': 'application/xml' }, 415],
      ['of an unknown coding', '{}', { 'content-encoding': 'br' }, 415],
    ])('lets pages of its origins read that a body is %s', async (_what, body, headers, status) => {
      const answer = await send(path, body, { ...headers, origin });
      expect([answer.status, readable(answer)]).toEqual([status, origin]);
      const other = await send(path, body, { ...headers, origin: 'https://elsewhere.example.com' });
      expect([other.status, readable(other)]).toEqual([status, null]);
    });
  });

  it('hides from pages that a key is unknown, since its origins are too', async () => {
    const answer = await send('/unleash/api/frontend', '{}', { origin, authorization: 'svc_sdk_wrong' });
    expect([answer.status, readable(answer)]).toEqual([401, null]);
  });
});
