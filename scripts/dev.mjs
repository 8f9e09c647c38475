// `npm run dev`: compiles on change, restarts the server, and serves the web application with hot reload on :5173.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();
const node = (args, options = {}) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit', ...options });
const compiler = node([
  join(root, 'node_modules/typescript/bin/tsc'),
  '-b',
  '--watch',
  '--preserveWatchOutput',
  'packages/cli',
]);
const web = node([join(root, 'node_modules/vite/bin/vite.js')], { cwd: join(root, 'packages/web') });
let stopping = false;
let server = startServer();

function startServer() {
  const child = node(['packages/cli/dist/main.js', 'serve', ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.on('close', () => {
    if (!stopping) server = startServer();
  });
  return child;
}

let timer;
for (const name of ['contract', 'oql', 'flag-engine', 'embedded', 'server', 'cli']) {
  watch(join(root, 'packages', name, 'dist'), { recursive: true }, (_event, file) => {
    if (!String(file).endsWith('.js')) return;
    clearTimeout(timer);
    timer = setTimeout(() => server.kill('SIGTERM'), 200);
  });
}

process.on('SIGINT', () => {
  stopping = true;
  compiler.kill();
  web.kill();
  server.kill('SIGTERM');
  server.on('close', () => process.exit(0));
});
