// `npm run dev`: compiles on change, restarts the server, and serves the web application with hot reload on :5173.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();
const { endWithParent } = await import('../packages/cli/dist/end-with-parent.js');
endWithParent();
const node = (args, options = {}) =>
  spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
// Its standard input closes when this process ends, even by a kill.
const web = node(
  ['--import', new URL('./with-parent.mjs', import.meta.url).href, join(root, 'node_modules/vite/bin/vite.js')],
  {
    cwd: join(root, 'packages/web'),
    stdio: ['pipe', 'inherit', 'inherit'],
  },
);
let stopping = false;
let server = startServer();

function startServer() {
  const child = node(['packages/cli/dist/main.js', 'serve', ...process.argv.slice(2)]);
  child.on('close', () => {
    if (!stopping) server = startServer();
  });
  return child;
}

// Not `tsc --watch`: the compiler is a separate program that would keep running if this process is killed.
let compiler;
let isStale = false;
function compile() {
  isStale = compiler !== undefined;
  if (isStale || stopping) return;
  compiler = node([join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/cli']);
  compiler.on('close', () => {
    compiler = undefined;
    if (isStale) compile();
  });
}

/** Calls back once, shortly after the last change. */
function onChange(folder, isOfInterest, then) {
  let timer;
  watch(folder, { recursive: true }, (_event, file) => {
    if (!isOfInterest(String(file))) return;
    clearTimeout(timer);
    timer = setTimeout(then, 200);
  });
}
for (const name of [
  'contract',
  'series',
  'promql',
  'oql',
  'flag-engine',
  'stats',
  'telemetry',
  'embedded',
  'server',
  'demo',
  'cli',
]) {
  onChange(join(root, 'packages', name, 'src'), (file) => file.endsWith('.ts'), compile);
  onChange(
    join(root, 'packages', name, 'dist'),
    (file) => file.endsWith('.js'),
    () => server.kill('SIGHUP'),
  );
}

function stop() {
  if (stopping) return;
  stopping = true;
  web.kill();
  server.kill('SIGHUP');
  server.on('close', () => process.exit(0));
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
