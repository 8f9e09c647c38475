import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingServer, startRecordingServer } from '../testing/recording-server.ts';
import { ApiError, createApiClient, list, property, text } from './api-client.ts';

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
});
afterEach(() => server.close());

const ACCOUNT = { email: 'a@shop.example', password: 'correct-Horse-battery-9' };

describe('the API client', () => {
  it('keeps the session, and sends its origin with writes', async () => {
    const api = createApiClient(server.endpoint);
    await api.post('/api/v1/auth/signup', ACCOUNT);
    expect(await api.get('/api/v1/workspaces')).toHaveLength(1);
    const [signup, workspaces] = server.calls;
    expect(signup?.headers).toMatchObject({ origin: server.endpoint });
    expect(workspaces?.headers).toMatchObject({ cookie: 'svc_session=abc' });
    expect(workspaces?.headers.origin).toBeUndefined();
  });

  it("throws the server's error", async () => {
    const failure = createApiClient(server.endpoint).get('/api/v1/workspaces');
    await expect(failure).rejects.toThrow(ApiError);
    await expect(failure).rejects.toMatchObject({ status: 401, code: 'SVC-1000', message: 'sign in first' });
  });

  it('waits for Retry-After, unless that is long', async () => {
    const api = createApiClient(server.endpoint);
    server.answerOnce('/api/v1/auth/signup', 503, { 'retry-after': '0' });
    await api.post('/api/v1/auth/signup', ACCOUNT);
    server.answerOnce('/api/v1/workspaces', 429, { 'retry-after': '900' });
    await expect(api.get('/api/v1/workspaces')).rejects.toMatchObject({ status: 429 });
  });
});

describe('reading an answer', () => {
  it('reports what is missing', () => {
    expect(text({ id: 'a' }, 'id')).toBe('a');
    expect(property({ version: 3 }, 'version')).toBe(3);
    expect(() => text({ id: 7 }, 'id')).toThrow('"id"');
    expect(() => property(null, 'id')).toThrow('"id"');
    expect(() => list({})).toThrow('list');
  });
});
