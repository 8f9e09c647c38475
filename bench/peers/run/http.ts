import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One connection that is kept: a read is measured without its set-up. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function send(url: string, { method = 'GET', headers = {}, body }: Request = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export const get = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  send(url, { headers });

/** The JSON of an answer of 200; with a body, posted as JSON. */
export async function json<T>(url: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): Promise<T> {
  const answer = await (body === undefined
    ? get(url, headers)
    : send(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }));
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.text.slice(0, 500)}`);
  return JSON.parse(answer.text) as T;
}

/** A query string. */
export function search(parameters: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString();
}
