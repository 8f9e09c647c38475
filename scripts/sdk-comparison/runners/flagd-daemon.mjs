import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { changing, compare, contexts, settings, watch } from './common.mjs';

/** flagd itself, which reads the flags of the sync port and evaluates them for its own OFREP clients. `FLAGD` is its file. */
const [port, managementPort, syncPort, ofrepPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
const source = {
  ...{ uri: `127.0.0.1:${settings.flagdSyncPort}`, provider: 'grpc', selector: settings.serverKey },
  maxMsgSize: 64 * 1_048_576,
};
const ports = ['--port', port, '--management-port', managementPort, '--sync-port', syncPort, '--ofrep-port', ofrepPort];
// Ends flagd when this process is gone, however it ended.
const untilEnd = '"$0" "$@" >&2 & cat >/dev/null; kill $!';
const options = { stdio: ['pipe', 'ignore', 'inherit'] };
spawn('sh', ['-c', untilEnd, process.env.FLAGD, 'start', '--sources', JSON.stringify([source]), ...ports], options);
// It calls itself ready before it has flags.
while (served(await evaluated(`/${changing.key}`, contexts[0]).catch(() => ({}))) === undefined)
  await new Promise((resolve) => setTimeout(resolve, 50));

async function evaluated(path, context) {
  const response = await fetch(`http://127.0.0.1:${ofrepPort}/ofrep/v1/evaluate/flags${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ context }),
  });
  return response.json();
}

async function evaluatorOf(context) {
  const { flags } = await evaluated('', context);
  const byKey = new Map(flags.map((flag) => [flag.key, served(flag)]));
  return ({ key }) => byKey.get(key);
}

await compare(evaluatorOf, { local: true });
await watch(async () => served(await evaluated(`/${changing.key}`, contexts[0])));

/** For a flag that serves nothing, there is no variant. */
function served({ value, variant, errorCode }) {
  return errorCode !== undefined || !variant ? undefined : value;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
