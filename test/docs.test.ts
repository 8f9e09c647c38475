import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { allRoutes } from '@fanion/contract';
import { compile, validate } from '@fanion/oql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../packages/cli/src/commands/index.ts';
import { type SignedUp, signUp, stored, until } from '../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../packages/server/src/testing/test-server.ts';
import { contentsOf } from '../packages/web/build/docs/contents.ts';
import { generatedDocs } from '../scripts/generate-docs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

interface Block {
  readonly page: string;
  /** The text after the opening fence. */
  readonly language: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  return [...read(page).matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      page,
      language: language.trim(),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    }),
  );
}

const blocks = pages.flatMap(blocksOf);
const prose = (page: string) => read(page).replaceAll(/^ *```[^\n]*\n[\s\S]*?^ *```$/gm, '');

describe('generated pages', () => {
  it.each([...generatedDocs()])('%s is fresh (npx tsx scripts/generate-docs.ts)', (path, content) => {
    expect(read(path)).toBe(content);
  });
});

describe('links and names', () => {
  /** The anchor of a heading on the usual hosts. */
  const anchorOf = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[`*]/g, '')
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const anchorsOf = (path: string) => [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text));

  it.each(pages)('%s has no broken links', (page) => {
    const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
        if (!existsSync(file)) return true;
        return anchor !== undefined && !anchorsOf(relative(root, file)).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s names files that exist', (page) => {
    const named = [...read(page).matchAll(/(?<![\w/.~-])((?:packages|test|scripts|bench|docs|\.ci)\/[\w./-]*\w)/g)].map(
      ([, path = '']) => path,
    );
    // Build output exists only after a build.
    expect(named.filter((path) => !path.includes('/dist/') && !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(pages)('%s uses commands that exist', (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const npm = [
      ...read(page).matchAll(
        /\bnpm (?:run )?(?:--silent )?(start|test|run|dev|demo|build|lint|typecheck|[a-z]+:[a-z]+)\b/g,
      ),
    ]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'run');
    const ran = [...read(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect([...npm, ...ran].filter((name) => !(name in scripts))).toEqual([]);
    const words = new Set(commands.map(({ name }) => name.split(' ')[0]));
    const used = [...read(page).matchAll(/(?:`fanion |cli\/dist\/main\.js )([a-z-]+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !words.has(name))).toEqual([]);
  });

  it.each(pages)('%s names routes that exist', (page) => {
    const pattern = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
    const known = new Set(allRoutes.map((route) => pattern(route.prefix + route.path)));
    const named = [...prose(page).matchAll(/`(?:(?:GET|POST|PUT|PATCH|DELETE) )?(\/(?:api|ofrep)\/[^`\s?…]*)`/g)].map(
      ([, path = '']) => path,
    );
    // Prefixes of paths, and the path that Zipkin's protocol prescribes.
    const others = new Set(['/api/v1', '/ofrep/v1', '/api/v2/spans']);
    expect(named.filter((path) => !others.has(path) && !known.has(pattern(path)))).toEqual([]);
  });

  it('the architecture page lists every package, and every decision is in the list', () => {
    const architecture = read('docs/ARCHITECTURE.md');
    const packages = readdirSync(join(root, 'packages')).filter((name) =>
      existsSync(join(root, 'packages', name, 'package.json')),
    );
    expect(packages.filter((name) => !architecture.includes(`\`packages/${name}\``))).toEqual([]);
    const list = read('docs/decisions/README.md');
    const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    expect(decisions.filter((name) => !list.includes(`(${name})`))).toEqual([]);
    expect(decisions.map((name) => name.slice(0, 4))).toEqual([...new Set(decisions.map((name) => name.slice(0, 4)))]);
  });

  it('the contents list every page but single decisions', () => {
    const listed = contentsOf(read('docs/README.md'), 'docs/README.md').flatMap((step) =>
      step.pages.map(({ file }) => file),
    );
    const expected = pages.filter((page) => !/decisions\/\d|^docs\/README/.test(page));
    expect(expected.filter((page) => !listed.includes(page))).toEqual([]);
  });

  it('pictures exist and are small', () => {
    const pictures = pages.flatMap((page) =>
      [...read(page).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => resolve(root, dirname(page), path)),
    );
    expect(pictures.length).toBeGreaterThan(0);
    for (const picture of pictures) expect(statSync(picture).size, picture).toBeLessThan(300_000);
  });
});

describe('queries', () => {
  const queries = blocks.filter(({ language }) => language.startsWith('oql'));

  it.each(queries.filter(({ language }) => language === 'oql'))('$page: $text', ({ text }) => {
    expect(validate(text)).toEqual({ valid: true, diagnostics: [] });
    // A valid query can still be too large as a statement.
    const window = { fromNs: 0n, toNs: 3_600_000_000_000n };
    const compiled = compile(text, { scope: { workspace: 1 }, window, limit: 1000, nowNs: window.toNs });
    expect(compiled.ok || compiled.diagnostics).toBe(true);
  });

  it.each(queries.filter(({ language }) => language === 'oql not-yet'))('$page, not yet: $text', ({ text }) => {
    const { diagnostics } = validate(text);
    expect(diagnostics.map(({ code }) => code)).toContain('OQL-5002');
  });
});

describe('what the README lists as not built', () => {
  const rows = [
    ...read('README.md').matchAll(/^\| (Ingest|Telemetry|Flags|Judging|Control plane|Running) \|(.*)\|(.*)\|$/gm),
  ];
  const missing = rows.flatMap(([, , , column = '']) =>
    [...column.matchAll(/`(\/[\w/-]+)`/g)].map(([, path = '']) => path),
  );

  it('has a row for each area', () => {
    expect(rows).toHaveLength(6);
  });

  it.each(missing)('%s', (path) => {
    const built = allRoutes
      .map((route) => route.prefix + route.path)
      .filter((route) => `${route}/`.includes(`${path}/`));
    expect(built, 'it is built: move it to what works').toEqual([]);
  });
});

describe('the five minutes of the README', () => {
  const readme = read('README.md');
  // Below the repository, so that the programs find its node_modules.
  const directory = join(root, '.build', `readme-${process.pid}`);
  const programs = new Map(
    [...readme.matchAll(/^`([\w.]+\.mjs)`:\n\n```js\n([\s\S]*?)```$/gm)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  );
  const run = async (name: string, env: Readonly<Record<string, string>>) => {
    const { stdout } = await promisify(execFile)(process.execPath, [name], {
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    return stdout;
  };
  let server: TestServer;
  let user: SignedUp;

  beforeAll(async () => {
    mkdirSync(directory, { recursive: true });
    server = await startTestServer();
    for (const [name, text] of programs)
      writeFileSync(join(directory, name), text.replaceAll('http://127.0.0.1:8080', server.base));
    user = await signUp(server.base, 'reader');
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await server?.stop();
  });

  it('installs the versions that this repository tests with', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    const installed = [...readme.matchAll(/(?<= )(@[\w/-]+)@(\d[\w.-]*)/g)];
    const imported = [...programs.values()].flatMap((text) =>
      [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name),
    );
    expect(imported.filter((name) => !installed.some(([, candidate]) => candidate === name))).toEqual([]);
    for (const [, name = '', version] of installed) expect(version, name).toBe(devDependencies[name]);
  });

  it('the workspace has the documented project and environments', async () => {
    const [project] = (await user.get(`${user.workspace}/projects`)).data;
    expect(readme).toContain(`project \`${project.key}\``);
    const environments = (await user.get(`${user.project}/environments`)).data;
    for (const { key } of environments) expect(readme).toContain(`\`${key}\``);
  });

  it('hello.mjs sends a trace and a log line', async () => {
    const token = await user.token(['telemetry:ingest']);
    const settings = [...readme.matchAll(/^export (OTEL_\w+)="([^"]*)"$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace('http://127.0.0.1:8080', server.base).replace('svc_pat_…', token),
    ]);
    expect(settings).toHaveLength(2);
    await run('hello.mjs', Object.fromEntries(settings));
    await until(async () => {
      const { data } = await user.get(`${user.project}/telemetry-status`);
      return data.signals.filter(({ arrived }: { arrived: boolean }) => arrived).length === 2;
    });
    await stored(server.base);
  });

  it('the first query returns a result', async () => {
    const [question] = blocksOf('README.md').filter(({ language }) => language === 'oql');
    const { data } = await user.post(`${user.workspace}/query`, { query: question?.text, to: 'now+1m' });
    expect(data.rows).toEqual([['hello', 1, expect.any(Number)]]);
    const logs = await user.post(`${user.workspace}/query`, { query: 'logs | fields body, trace_id', to: 'now+1m' });
    expect(logs.data.rows).toEqual([['Hello, Fanion', expect.stringMatching(/^[0-9a-f]{32}$/)]]);
  });

  it('flag.mjs gets the values of the first flag', async () => {
    await user.post(`${user.project}/flags`, { key: 'new-checkout', name: 'New checkout', kind: 'boolean' });
    const saved = await user.put(`${user.project}/environments/production/flags/new-checkout`, {
      version: 0,
      enabled: true,
      off_variant: 'false',
      fallthrough: { variant: 'false' },
      rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['DE'] }], variant: 'true' }],
    });
    expect(saved.status, saved.text).toBe(200);
    expect(await run('flag.mjs', { FANION_SDK_KEY: await user.sdkKey() })).toBe('true\nfalse\n');
  });

  it("the flags guide's requests succeed unchanged", async () => {
    const [, create = '', put = ''] =
      /-d '(\{"key"[^']*)'[\s\S]*?-d '(\{[\s\S]*?\n {2}\})'/.exec(read('docs/guides/flags.md')) ?? [];
    const flag = { ...JSON.parse(create), key: 'guide' };
    expect((await user.post(`${user.project}/flags`, flag)).status).toBe(201);
    const saved = await user.put(`${user.project}/environments/production/flags/guide`, JSON.parse(put));
    expect(saved.status, saved.text).toBe(200);
  });
});
