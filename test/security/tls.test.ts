import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { credentials, Metadata } from '@grpc/grpc-js';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryClient } from '../../packages/server/src/protocols/read/testing/query-services.ts';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import {
  type SignedUp,
  signUp,
  testClient,
  testPassword,
  until,
} from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

const certificates = fileURLToPath(new URL('../../packages/server/src/http/testing/certificates', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fanion-https-'));
const files = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
const authority = (name: string) => readFileSync(join(certificates, `${name}.pem`));

function put(name: string): void {
  copyFileSync(join(certificates, `${name}.pem`), files.cert);
  copyFileSync(join(certificates, `${name}.key`), files.key);
}

async function connected(port: number, ca: string, maxVersion?: SecureVersion): Promise<TLSSocket> {
  const limits = maxVersion === undefined ? {} : { maxVersion, minVersion: maxVersion };
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority(ca), ...limits });
  await once(socket, 'secureConnect');
  return socket;
}

describe('a server with a certificate', () => {
  let server: TestServer;
  let ada: SignedUp;
  let grpcPort: number;
  /** Speaks plain HTTP to the test's clients and TLS to the server. */
  let tunnel: Server;
  const port = () => Number(new URL(server.base).port);

  beforeAll(async () => {
    put('first');
    grpcPort = await freePort();
    const env = { FANION_TLS_CERT: files.cert, FANION_TLS_KEY: files.key, FANION_OTLP_GRPC_PORT: String(grpcPort) };
    server = await startTestServer({ env });
    tunnel = createServer((plain) => {
      const secure = connect({ port: port(), host: '127.0.0.1', servername: 'localhost', ca: authority('first') });
      plain.pipe(secure).pipe(plain);
      plain.on('error', () => secure.destroy());
      secure.on('error', () => plain.destroy());
    });
    tunnel.listen(0, '127.0.0.1');
    await once(tunnel, 'listening');
    ada = await signUp(`http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    tunnel?.close();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has an https address and secure cookies', async () => {
    expect(server.base).toBe(`https://127.0.0.1:${port()}`);
    const again = await testClient(ada.base).post('/api/v1/auth/login', { email: ada.email, password: testPassword });
    expect(again.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^svc_session=.*; Secure/));
  });

  it('evaluates flags', async () => {
    await ada.post(`${ada.project}/flags`, { key: 'basket', name: 'Basket', kind: 'boolean' });
    const sdk = testClient(ada.base, { bearer: await ada.sdkKey() });
    await until(async () => {
      const answer = await sdk.post('/ofrep/v1/evaluate/flags/basket', { context: { targetingKey: 'u1' } });
      return answer.json?.value === false;
    });
  });

  it('takes telemetry over gRPC', async () => {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${await ada.token(['telemetry:ingest'])}`);
    const secure = credentials.createSsl(authority('first'));
    const exporter = new OTLPTraceExporter({ url: `https://localhost:${grpcPort}`, credentials: secure, metadata });
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.getTracer('test').startSpan('encrypted').end();
    await provider.shutdown();
    await until(async () => {
      const answer = await ada.post(`${ada.workspace}/query`, {
        query: 'spans | stats n=count() by name',
        to: 'now+5m',
      });
      return answer.data?.rows?.[0]?.[0] === 'encrypted';
    });
  });

  it('speaks HTTP/2 with clients of gRPC, and HTTP/1.1 with all others', async () => {
    const secure = credentials.createSsl(authority('first'));
    const client = queryClient(`localhost:${port()}`, await ada.token(['telemetry:query']), secure);
    const { messages, error } = await client.call('/jaeger.api_v3.QueryService/GetServices', {});
    expect({ error, messages: messages.length }).toEqual({ messages: 1 });
    client.close();
    const chosen = async (ALPNProtocols: string[]) => {
      const options = { port: port(), host: '127.0.0.1', servername: 'localhost', ca: authority('first') };
      const socket = connect({ ...options, ALPNProtocols });
      await once(socket, 'secureConnect');
      socket.destroy();
      return socket.alpnProtocol;
    };
    expect(await chosen(['h2', 'http/1.1'])).toBe('http/1.1');
    expect(await chosen(['h2'])).toBe('h2');
    await expect(chosen(['spdy/3'])).rejects.toThrow(/alert|protocol/i);
  });

  it('refuses TLS 1.1 and plain HTTP', async () => {
    await expect(connected(port(), 'first', 'TLSv1.1')).rejects.toThrow(/protocol|alert/i);
    await expect(fetch(`http://localhost:${port()}/readyz`)).rejects.toThrow();
  });

  it('tells when its certificate expires', async () => {
    const metrics = await (await fetch(`${ada.base}/internal/metrics`)).text();
    expect(metrics).toMatch(/^fanion_tls_certificate_expires_timestamp_seconds\{file=".*tls\.crt"\} 49\d{8}$/m);
  });

  it('gives new connections a new certificate without a restart, and keeps those that are open', async () => {
    const before = await connected(port(), 'first');
    put('second');
    await until(async () => (await connected(port(), 'second').catch(() => undefined))?.destroy() !== undefined);
    await expect(connected(port(), 'first')).rejects.toThrow(/certificate/);
    before.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(String((await once(before, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK/);
    before.destroy();
  });
});

it.each([
  ['a certificate alone', { FANION_TLS_CERT: 'x' }, /set both, or none/],
  ['a key alone', { FANION_TLS_KEY: 'x' }, /set both, or none/],
  [
    'a file that is missing',
    { FANION_TLS_CERT: '/no/such.pem', FANION_TLS_KEY: '/no/such.key' },
    /FANION_TLS_CERT and FANION_TLS_KEY: \/no\/such.pem cannot be used/,
  ],
  [
    'an evaluation process',
    { FANION_TLS_CERT: 'x', FANION_TLS_KEY: 'x', FANION_EVALUATION_PROCESS: 'on' },
    /not together with FANION_EVALUATION_PROCESS/,
  ],
])('a server does not start with %s', async (_, env, message) => {
  await expect(startTestServer({ env })).rejects.toThrow(message);
});
