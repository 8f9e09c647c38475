export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape, and assert on them
  readonly json: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any;
}

export interface TestClient {
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  del(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
}

/** A client like a browser with a cookie or a program with a bearer secret. */
export function testClient(base: string, credential: { cookie?: string; bearer?: string } = {}): TestClient {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    extra: Record<string, string> = {},
  ): Promise<TestResponse> {
    const headers: Record<string, string> = { ...extra };
    if (credential.cookie !== undefined)
      Object.assign(headers, { cookie: credential.cookie, origin: base, 'sec-fetch-site': 'same-origin' }, extra);
    if (credential.bearer !== undefined) headers.authorization = `Bearer ${credential.bearer}`;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const response = await fetch(base + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const json = type.includes('json') && !type.includes('ndjson') && text !== '' ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json, data: json?.data };
  }
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body = {}, headers) => send('POST', path, body, headers),
    put: (path, body = {}, headers) => send('PUT', path, body, headers),
    patch: (path, body = {}, headers) => send('PATCH', path, body, headers),
    del: (path, headers) => send('DELETE', path, undefined, headers),
  };
}

export interface SignedUp extends TestClient {
  readonly base: string;
  readonly cookie: string;
  readonly email: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly slug: string;
  readonly projectId: string;
  /** `/api/v1/workspaces/<id>`. */
  readonly workspace: string;
  /** `/api/v1/workspaces/<id>/projects/<id>`. */
  readonly project: string;
  token(permissions: readonly string[], more?: Record<string, unknown>): Promise<string>;
  sdkKey(environment?: string, more?: Record<string, unknown>): Promise<string>;
}

let count = 0;
export const testPassword = 'correct-Horse-battery-9';

/** The cookies that a response sets, in the form of a request. */
export function cookiesOf(response: TestResponse): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** A new account with its own workspace. Its address is unique, so that test files can share a server. */
export async function signUp(base: string, name = `user${++count}-${process.pid}`): Promise<SignedUp> {
  const email = `${name.toLowerCase().replaceAll(' ', '-')}-${++count}-${process.pid}@example.com`;
  const response = await testClient(base).post('/api/v1/auth/signup', {
    email,
    password: testPassword,
    name,
    workspace_name: name,
  });
  if (response.status !== 201) throw new Error(`sign-up: ${response.status} ${response.text}`);
  const { user, workspace } = response.data;
  return ownerOf(workspace, { base, cookie: cookiesOf(response), email, userId: user.id });
}

/** Another workspace of an account. It is cheaper than an account: no password is hashed. */
export async function newWorkspace(owner: SignedUp, name: string): Promise<SignedUp> {
  const response = await owner.post('/api/v1/workspaces', { name });
  if (response.status !== 201) throw new Error(`workspace: ${response.status} ${response.text}`);
  return ownerOf(response.data, owner);
}

async function ownerOf(
  workspace: { readonly id: string; readonly slug: string },
  { base, cookie, email, userId }: Pick<SignedUp, 'base' | 'cookie' | 'email' | 'userId'>,
): Promise<SignedUp> {
  const client = testClient(base, { cookie });
  const workspacePath = `/api/v1/workspaces/${workspace.id}`;
  const projects = await client.get(`${workspacePath}/projects`);
  const projectId: string = projects.data[0].id;
  const created = async (path: string, body: unknown, field: string): Promise<string> => {
    const answer = await client.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.data[field];
  };
  const projectPath = `${workspacePath}/projects/${projectId}`;
  return {
    ...client,
    base,
    cookie,
    email,
    userId,
    workspaceId: workspace.id,
    slug: workspace.slug,
    projectId,
    workspace: workspacePath,
    project: projectPath,
    token: (permissions, more = { project: projectId, environment: 'production' }) =>
      created(`/api/v1/tokens?workspace=${workspace.id}`, { name: `token ${++count}`, permissions, ...more }, 'token'),
    sdkKey: (environment = 'production', more = {}) =>
      created(`${projectPath}/flag-keys`, { environment, name: `key ${++count}`, ...more }, 'key'),
  };
}

/** Adds an account to a workspace, and accepts for it if needed. Returns the id of the member. */
export async function addMember(
  owner: Pick<SignedUp, 'workspace' | 'post' | 'get'>,
  person: Pick<SignedUp, 'email' | 'post'>,
  role: string,
): Promise<string> {
  const added = await owner.post(`${owner.workspace}/members`, { email: person.email, role });
  if (added.status === 201) return added.data.id;
  if (added.status !== 202) throw new Error(`members: ${added.status} ${added.text}`);
  const accepted = await person.post(`/api/v1/auth/invitations/${added.data.id}/accept`);
  if (accepted.status !== 200) throw new Error(`accept: ${accepted.status} ${accepted.text}`);
  const { data } = await owner.get(`${owner.workspace}/members?search=${encodeURIComponent(person.email)}`);
  return data[0].id;
}

/** A key of the same form that nobody was given. */
export function otherThan(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
}

/**
 * Resolves when the server has stored all acknowledged telemetry in all tables: rows can be queried before the
 * arrivals, series and roll-ups of the same request are stored.
 */
export async function stored(base: string, timeoutMs?: number): Promise<void> {
  await until(async () => {
    const metrics = await (await fetch(`${base}/internal/metrics`)).text();
    return /^fanion_wal_bytes 0$/m.test(metrics);
  }, timeoutMs);
}

type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

/** Polls until the answer is truthy; after `timeoutMs`, throws with the last answer. */
export async function until<T>(ask: () => Promise<T>, timeoutMs = 40_000): Promise<Truthy<T>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Truthy<T>;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(answer)} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
