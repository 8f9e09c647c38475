import { createConnection } from 'node:net';
import { postRequest } from '../support/load.ts';

export interface Evaluated {
  readonly flag: string;
  readonly unit: string;
  readonly variant: string;
  readonly failed: boolean;
}

export interface TrafficOptions {
  readonly port: number;
  readonly sdkKey: string;
  readonly token: string;
  readonly flags: readonly string[];
  readonly perSecond: number;
  /** So many different units are evaluated, in turns. */
  readonly units: number;
  /** Whether a request fails that got this variant. */
  readonly fails: (variant: string) => boolean;
  /** Called with what was acknowledged, both the evaluation and its span. */
  readonly acknowledged?: (batch: readonly Evaluated[]) => void;
}

const spanEveryMs = 100;
const sockets = 16;

/**
 * Requests that evaluate one flag each over OFREP, within a trace, at a steady rate. Their spans follow over OTLP ten times a second.
 */
export async function startTraffic(options: TrafficOptions) {
  const { port, sdkKey, token, flags, perSecond, units, fails, acknowledged } = options;
  const clients = await Promise.all(Array.from({ length: sockets }, () => connect(port)));
  const spanClient = await connect(port);
  let sent = 0;
  let unanswered = 0;
  let failure: unknown;
  let finished: (Evaluated & { readonly trace: string; readonly at: number })[] = [];
  const run = hexOf(Math.floor(Math.random() * 2 ** 48), 16);

  async function evaluate(n: number): Promise<void> {
    const flag = flags[n % flags.length] ?? '';
    const unit = `user-${Math.floor(n / flags.length) % units}`;
    const trace = `${run}${hexOf(n + 1, 16)}`;
    const headers = { authorization: `Bearer ${sdkKey}`, traceparent: `00-${trace}-${hexOf(n + 1, 16)}-01` };
    const body = { context: { targetingKey: unit } };
    const client = clients[n % clients.length];
    if (client === undefined) return;
    const answer = await client(postRequest(`/ofrep/v1/evaluate/flags/${flag}`, body, headers));
    const { variant } = JSON.parse(answer) as { variant: string };
    finished.push({ flag, unit, variant, failed: fails(variant), trace, at: Date.now() });
  }

  async function sendSpans(): Promise<void> {
    const batch = finished;
    finished = [];
    if (batch.length === 0) return;
    const spans = batch.map(({ trace, failed, at }) => ({
      traceId: trace,
      spanId: trace.slice(16),
      name: 'GET /',
      kind: 2,
      startTimeUnixNano: `${at - 1}000000`,
      endTimeUnixNano: `${at}000000`,
      status: { code: failed ? 2 : 1 },
    }));
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
    await spanClient(postRequest('/v1/traces', body, { authorization: `Bearer ${token}` }));
    acknowledged?.(batch);
  }

  const began = performance.now();
  const keep = (error: unknown) => {
    failure ??= error;
  };
  const pace = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    for (; sent < due; sent++) {
      unanswered++;
      evaluate(sent).then(() => unanswered--, keep);
    }
  }, 10);
  const spans = setInterval(() => sendSpans().catch(keep), spanEveryMs);

  return {
    sent: () => sent,
    async stop(): Promise<void> {
      clearInterval(pace);
      while (unanswered > 0 && failure === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
      clearInterval(spans);
      if (failure !== undefined) throw failure;
      await sendSpans();
      for (const client of [...clients, spanClient]) client.end();
    },
  };
}

function hexOf(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

type Client = ((request: string) => Promise<string>) & { end(): void };

/** One connection whose requests are answered in their order. It costs less than `fetch`, beside the server that is measured. */
async function connect(port: number): Promise<Client> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  const waiting: { resolve: (body: string) => void; reject: (error: Error) => void }[] = [];
  let received = '';
  socket.setEncoding('latin1');
  socket.on('error', (error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  socket.on('data', (chunk) => {
    received += String(chunk);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const answer = received.slice(0, end + 4 + length);
      received = received.slice(end + 4 + length);
      const next = waiting.shift();
      if (answer.startsWith('HTTP/1.1 200')) next?.resolve(answer.slice(end + 4));
      else next?.reject(new Error(answer.slice(0, 300)));
    }
  });
  const send = (request: string) =>
    new Promise<string>((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(request);
    });
  return Object.assign(send, { end: () => socket.destroy() });
}
