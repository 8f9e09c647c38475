import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { createClient, getMe } from '@fanion/contract';
import { endpointOf, UsageError } from '../files/connection-options.ts';
import { storeToken } from '../files/credentials.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call } from './command.ts';

/** `fanion login`. */
export async function logIn({ texts }: Call, { env, out }: Terminal): Promise<number> {
  const baseUrl = endpointOf(texts, env);
  const token = (await readSecret(`API token for ${baseUrl}: `)).trim();
  if (!/^svc_pat_\w+$/.test(token)) throw new UsageError('this is not an API token: it must begin with svc_pat_');
  const client = createClient({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const { user, workspaces } = (await client.call(getMe, {})).data;
  const path = storeToken(baseUrl, token, env);
  const slugs = workspaces.map(({ slug }) => slug).join(', ');
  out(`logged in to ${baseUrl} as ${user.email}, workspace ${slugs}; the token is in ${path}`);
  return 0;
}

/** Asks on the terminal, which does not show the answer, or reads standard input to its end. @throws UsageError */
async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    let text = '';
    for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
    return text;
  }
  // readline switches the terminal's own echo off, and writes its echo here.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  // Not before: the terminal would show what is typed at once.
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      // Also after Ctrl-C.
      lines.once('close', () => reject(new UsageError('no token was given')));
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
