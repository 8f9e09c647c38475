import { readFile, writeFile } from 'node:fs/promises';
import { ApiError, createClient, createToken, logIn, permissionNames, signUp } from '@fanion/contract';
import { endpointOf, UsageError } from '../files/connection-options.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call } from './command.ts';

/** `fanion setup`. */
export async function setUp({ texts, flags }: Call, terminal: Terminal): Promise<number> {
  const email = texts.email ?? terminal.env.FANION_SETUP_EMAIL;
  if (email === undefined || email === '') throw new UsageError('name the account: --email or FANION_SETUP_EMAIL');
  const password = await passwordOf(texts, terminal);
  const tell = (facts: object, line: string) => terminal.out(flags.has('json') ? JSON.stringify(facts) : line);
  let cookie = '';
  const keepsCookie: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const [set] = response.headers.getSetCookie();
    cookie = set?.split(';')[0] ?? cookie;
    return response;
  };
  const baseUrl = endpointOf(texts, terminal.env);
  const anonymous = createClient({ baseUrl, fetch: keepsCookie });
  const name = texts.name ?? email.split('@')[0] ?? email;
  const more = texts.workspace === undefined ? {} : { workspace_name: texts.workspace };
  const made = await anonymous.call(signUp, { body: { email, password, name, ...more } }).catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 409 || error.status === 403)) return undefined;
    throw error;
  });
  if (made === undefined) {
    // The account was made before if its password is this one; else this fails.
    await anonymous.call(logIn, { body: { email, password } });
    tell({ created: false }, `the account ${email} is there already; nothing was changed`);
    return 0;
  }
  const { workspace } = made.data;
  // A session needs what browsers send for a page of the same server.
  const signedIn = createClient({ baseUrl, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  const body = { name: 'fanion setup', permissions: [...permissionNames] };
  const { data } = await signedIn.call(createToken, { query: { workspace: workspace.id }, body });
  const file = texts['token-file'];
  if (file !== undefined) await writeFile(file, `${data.token}\n`, { mode: 0o600, flag: 'wx' });
  const facts = { created: true, workspace: workspace.slug, ...(file === undefined && { token: data.token }) };
  terminal.err(`made the account ${email} and the workspace ${workspace.slug}`);
  tell(facts, file === undefined ? data.token : `the token is in ${file}`);
  return 0;
}

async function passwordOf(texts: Call['texts'], { env }: Terminal): Promise<string> {
  const file = texts['password-file'];
  if (file === undefined) {
    if (env.FANION_SETUP_PASSWORD) return env.FANION_SETUP_PASSWORD;
    throw new UsageError('give the password: --password-file or FANION_SETUP_PASSWORD');
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--password-file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return text.replace(/\r?\n$/, '');
}
