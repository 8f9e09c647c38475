import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

describe('operations', () => {
  let server: TestServer;
  let operator: SignedUp;
  beforeAll(async () => {
    server = await startTestServer({});
    operator = await signUp(server.base, 'operator');
  });
  afterAll(() => server?.stop());

  it('tell the oldest workspace the state of the server', async () => {
    const { status, data } = await operator.get(`${operator.workspace}/operations`);
    expect(status).toBe(200);
    expect(data.operations).toMatchObject({
      servers: [{ roles: ['api', 'ingest', 'flags', 'jobs'], answers: true }],
      stores: [
        { name: 'control_plane', status: 'up' },
        { name: 'telemetry_store', status: 'up' },
        { name: 'write_ahead_log', status: 'up' },
      ],
      backups: { scheduled: false, last_success_at: null },
      certificate_expires_at: null,
      self_telemetry: { on: false, project: null, stored: 0 },
    });
    expect(data.operations.ingest.log_max_bytes).toBeGreaterThan(0);
    expect(data.operations.ingest.disk_free_ratio).toBeGreaterThan(0);
  });

  it('tell another workspace nothing, even of the same person', async () => {
    const other = await newWorkspace(operator, 'Other');
    expect((await other.get(`${other.workspace}/operations`)).data).toEqual({ operations: null });
  });

  it('are for owners and admins', async () => {
    const viewer = await signUp(server.base, 'viewer');
    await addMember(operator, viewer, 'viewer');
    const answer = await viewer.get(`${operator.workspace}/operations`);
    expect(answer.status).toBe(403);
  });
});
