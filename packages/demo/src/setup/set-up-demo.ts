import { createDemoAlerting } from './alerting.ts';
import { type ApiClient, ApiError, createApiClient, list, text } from './api-client.ts';
import { createDemoDashboard } from './dashboard.ts';
import { createDemoFlags } from './flags.ts';
import { startDemoJudging } from './judging.ts';
import { createDemoSlos } from './slos.ts';
import { untilStored } from './stored.ts';

export interface SetUpOptions {
  endpoint: string;
  email: string;
  password: string;
  /** The id or slug of the workspace to use; the account's first by default. */
  workspace?: string;
}

export interface DemoCredentials {
  endpoint: string;
  email: string;
  password: string;
  workspace: { id: string; name: string };
  project: { id: string; key: string };
  environment: string;
  /** For OTLP. */
  token: string;
  /** For OFREP. */
  sdkKey: string;
  /** This call created the account, so its workspace has no history yet. */
  created: boolean;
  /** Sets up what needs the history: SLOs, which count their past once, and what judges flags from now on. Can be repeated. */
  afterHistory(): Promise<void>;
  /** Revokes the token and the key, which nobody needs after the demo has ended. */
  revoke(): Promise<void>;
}

const ENVIRONMENT = 'production';
const CREDENTIAL_NAME = 'fanion demo';
const TOKEN_LIFE_MS = 30 * 86_400_000;

/**
 * Prepares a server for the demo through its public API: an account (signed up, or logged in if it exists), an ingest
 * token and an SDK key for its project's production environment, the flags of the shop, its dashboard and its alert rules. Can be
 * repeated: nothing is made twice.
 *
 * @throws ApiError when the server rejects one of the steps.
 */
export async function setUpDemo(options: SetUpOptions): Promise<DemoCredentials> {
  const { endpoint, email, password } = options;
  const api = createApiClient(endpoint);
  const created = await signUpOrLogIn(api, { email, password });
  const workspace = await findWorkspace(api, options.workspace);
  const project = await findProject(api, workspace.id);
  const place = { workspace: workspace.id, project: project.id };
  await createDemoFlags(api, place, ENVIRONMENT);
  await createDemoDashboard(api, place, ENVIRONMENT);
  await createDemoAlerting(api, place, ENVIRONMENT);

  const token = await api.post(`/api/v1/tokens?workspace=${workspace.id}`, {
    name: CREDENTIAL_NAME,
    permissions: ['telemetry:ingest'],
    project: project.id,
    environment: ENVIRONMENT,
    expires_at: new Date(Date.now() + TOKEN_LIFE_MS).toISOString(),
  });
  const sdkKey = await api.post(`/api/v1/workspaces/${workspace.id}/projects/${project.id}/flag-keys`, {
    environment: ENVIRONMENT,
    name: CREDENTIAL_NAME,
  });
  const secrets = [text(token, 'id'), text(sdkKey, 'id')];
  return {
    endpoint,
    email,
    password,
    workspace,
    project,
    environment: ENVIRONMENT,
    token: text(token, 'token'),
    sdkKey: text(sdkKey, 'key'),
    created,
    async afterHistory() {
      await untilStored(api, place);
      await createDemoSlos(api, place, ENVIRONMENT);
      await startDemoJudging(api, place, ENVIRONMENT);
    },
    async revoke() {
      for (const id of secrets) await api.delete(`/api/v1/tokens/${id}?workspace=${workspace.id}`);
    },
  };
}

/** Returns whether the account is new. */
async function signUpOrLogIn(api: ApiClient, account: { email: string; password: string }): Promise<boolean> {
  let refusal: ApiError;
  try {
    await api.post('/api/v1/auth/signup', { ...account, name: 'Demo', workspace_name: 'Demo shop' });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status < 500)) throw error;
    refusal = error;
  }
  // The account exists, or the server restricts sign-ups; logging in shows which.
  try {
    await api.post('/api/v1/auth/login', account);
    return false;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    throw new ApiError(
      error.status,
      error.code,
      `neither signing up (${refusal.message}) nor logging in (${error.message}) as ${account.email} succeeded`,
    );
  }
}

async function findWorkspace(api: ApiClient, wanted: string | undefined): Promise<{ id: string; name: string }> {
  const workspaces = list(await api.get('/api/v1/workspaces')).map((each) => ({
    id: text(each, 'id'),
    slug: text(each, 'slug'),
    name: text(each, 'name'),
  }));
  const found =
    wanted === undefined ? workspaces[0] : workspaces.find(({ id, slug }) => id === wanted || slug === wanted);
  if (!found)
    throw new Error(wanted === undefined ? 'the account has no workspace' : `there is no workspace ${wanted}`);
  return { id: found.id, name: found.name };
}

/** The default project, or the first one if that was renamed. */
async function findProject(api: ApiClient, workspace: string): Promise<{ id: string; key: string }> {
  const projects = list(await api.get(`/api/v1/workspaces/${workspace}/projects`)).map((each) => ({
    id: text(each, 'id'),
    key: text(each, 'key'),
  }));
  const found = projects.find(({ key }) => key === 'default') ?? projects[0];
  if (!found) throw new Error('the workspace has no project');
  return found;
}
