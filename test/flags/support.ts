import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  addMember,
  cookiesOf,
  type SignedUp,
  signUp,
  type TestClient,
  testClient,
  testPassword,
} from '../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../packages/server/src/testing/test-server.ts';

export const half = [
  { variant: 'true', weight: 50_000 },
  { variant: 'false', weight: 50_000 },
];

export type Flags = ReturnType<typeof flagsOf>;

/** Starts a server for a person with a project, and an SDK with a key of its production. */
export async function startFlags(name: string) {
  const server = await startTestServer();
  const user = await signUp(server.base, name);
  const sdk = testClient(server.base, { bearer: await user.sdkKey() });
  return { stop: () => server.stop(), user, sdk, flags: flagsOf(user) };
}

/** Common actions of the flag tests; each must succeed. */
export function flagsOf(user: SignedUp) {
  const path = (key: string, environment = 'production') => `${user.project}/environments/${environment}/flags/${key}`;
  return {
    path,

    async create(key: string, more: object = { kind: 'boolean' }) {
      const answer = await user.post(`${user.project}/flags`, { key, name: key, ...more });
      expect(answer.status, answer.text).toBe(201);
      return answer.data;
    },

    /** Writes targeting on top of the current version; by default on, with `true` for all. */
    async put(key: string, change: object = {}, environment = 'production', as: TestClient = user) {
      const current = await user.get(path(key, environment));
      const { off_variant, version } = current.data;
      const body = { enabled: true, off_variant, fallthrough: { variant: 'true' }, targets: [], rules: [], version };
      return as.put(path(key, environment), { ...body, ...change });
    },

    async serve(key: string, change: object = {}, environment = 'production') {
      const answer = await this.put(key, change, environment);
      expect(answer.status, answer.text).toBe(200);
      return answer.data;
    },

    async targeting(key: string, environment = 'production') {
      return (await user.get(path(key, environment))).data;
    },

    async protect(key = 'guarded') {
      const answer = await user.post(`${user.project}/environments`, { key, name: key, requires_approval: true });
      expect(answer.status, answer.text).toBe(201);
    },

    /** Actions in the audit log, newest first. */
    async audited(): Promise<string[]> {
      const answer = await user.get(`/api/v1/audit?workspace=${user.workspaceId}&limit=500`);
      return answer.data.map(({ action }: { action: string }) => action);
    },
  };
}

/** Adds a second person to the workspace, with a workspace role. */
export async function colleague(owner: SignedUp, name: string, role: string): Promise<TestClient> {
  // Files of a worker share a server.
  const email = `${name}-${randomUUID().slice(0, 8)}@example.com`;
  const signup = await testClient(owner.base).post('/api/v1/auth/signup', {
    email,
    password: testPassword,
    name,
    workspace_name: `${name}-own`,
  });
  expect(signup.status, signup.text).toBe(201);
  const roles = await owner.get(`${owner.workspace}/roles`);
  const { id } = roles.data.find((known: { key: string }) => known.key === role);
  const person = testClient(owner.base, { cookie: cookiesOf(signup) });
  await addMember(owner, { email, post: person.post }, id);
  return person;
}

/** Runs a request that must leave exactly one audit entry. */
export async function auditedOnce<T>(user: SignedUp, act: () => Promise<T>): Promise<{ answer: T; action: string }> {
  const entries = async () => (await user.get(`/api/v1/audit?workspace=${user.workspaceId}&limit=500`)).data;
  const before = (await entries()).length;
  const answer = await act();
  const after = await entries();
  expect(after.length - before).toBe(1);
  return { answer, action: after[0].action };
}
