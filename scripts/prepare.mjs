// What `npm start` and `npm test` do first: install what is missing and build what is stale. Uses Node alone, since
// nothing is installed yet when it runs in a fresh clone.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const state = join(root, '.build');
const isWindows = process.platform === 'win32';
const startedBy = process.ppid;
const children = new Set();

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 20)) {
  console.error(`Fanion needs Node 20.20 or newer; this is ${process.version}.`);
  process.exit(1);
}

/** Runs a program; its output is shown only when it fails or `verbose`. Prints a line every 15 s while it runs. */
export function run(label, command, args, { verbose = false, cwd = root, env = process.env } = {}) {
  const began = Date.now();
  process.stderr.write(`${label} …\n`);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: verbose ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      shell: isWindows,
    });
    children.add(child);
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    const tick = setInterval(
      () => process.stderr.write(`${label} … ${Math.round((Date.now() - began) / 1000)} s\n`),
      15_000,
    );
    child.on('error', (error) => {
      clearInterval(tick);
      reject(error);
    });
    child.on('close', (code) => {
      children.delete(child);
      clearInterval(tick);
      if (code === 0) return resolve(output);
      process.stderr.write(output);
      reject(new Error(`${label}: failed (${command} ${args.join(' ')}, exit code ${code})`));
    });
  });
}

function stamp(name) {
  const file = join(state, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function setStamp(name, value) {
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, name), value);
}

/** Names, sizes and times of all sources below the folders: cheap to compute, and it changes when anything does. */
function signature(folders) {
  const hash = createHash('sha256').update(process.version);
  const visit = (path) => {
    if (!existsSync(path)) return;
    const facts = statSync(path);
    if (facts.isDirectory()) {
      for (const name of readdirSync(path).sort())
        if (name !== 'node_modules' && name !== 'dist') visit(join(path, name));
    } else hash.update(`${path}\0${facts.size}\0${facts.mtimeMs}\n`);
  };
  for (const folder of folders) visit(join(root, folder));
  return hash.digest('hex');
}

async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(join(root, 'node_modules', '.package-lock.json')) && stamp('installed') === lock) return;
  // A tree that npm created from this lock file (a manual `npm ci`) is as good as ours.
  const hidden = join(root, 'node_modules', '.package-lock.json');
  const byHand =
    existsSync(hidden) &&
    stamp('installed') === '' &&
    statSync(hidden).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
  if (!byHand)
    await run('Installing dependencies (once, about a minute)', 'npm', [
      'ci',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--include=dev',
    ]);
  setStamp('installed', lock);
}

const libraries = [
  'contract',
  'series',
  'promql',
  'oql',
  'flag-engine',
  'stats',
  'sdk',
  'sdk-web',
  'telemetry',
  'embedded',
  'server',
  'demo',
  'cli',
];

async function build() {
  const code = signature(['tsconfig.base.json', ...libraries.map((name) => `packages/${name}`)]);
  const isBuilt = libraries.every((name) => existsSync(join(root, 'packages', name, 'dist', 'index.js')));
  if (!isBuilt || stamp('code') !== code) {
    await run('Building the server', process.execPath, [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      '-b',
      ...libraries.map((name) => `packages/${name}`),
    ]);
    // An initialized, empty control plane, so that the first start only unpacks it.
    await run('Preparing the control plane', process.execPath, [
      join(root, 'packages/embedded/dist/control/make-template.js'),
    ]);
    setStamp('code', code);
  }
  const web = signature([
    'packages/web',
    // The documentation site is a part of it.
    ...['docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json'],
    ...['contract', 'series', 'oql', 'flag-engine'].map((name) => `packages/${name}/src`),
  ]);
  if (!existsSync(join(root, 'packages/web/dist/app/index.html')) || stamp('web') !== web) {
    await run(
      'Building the web application',
      process.execPath,
      [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
      { cwd: join(root, 'packages', 'web') },
    );
    setStamp('web', web);
  }
}

/** Installs and builds what is needed; fast if nothing is. Ends when its parent ends. */
export async function prepare() {
  const leave = () => {
    for (const child of children) child.kill();
    process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, leave);
  const watch = setInterval(() => process.ppid !== startedBy && leave(), 500);
  try {
    await install();
    await build();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  if (process.ppid !== startedBy) leave();
  clearInterval(watch);
  for (const signal of signals) process.off(signal, leave);
}
