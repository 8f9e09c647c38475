import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breaches } from './support/walls.ts';

const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
const config = fileURLToPath(new URL('../biome.json', import.meta.url));

const violations = [
  ['oql imports only series', 'packages/oql/src/a.ts', '@fanion/contract', 'noRestrictedImports'],
  ['series imports no workspace package', 'packages/series/src/a.ts', '@fanion/oql', 'noRestrictedImports'],
  ['promql neither', 'packages/promql/src/a.ts', '@fanion/oql', 'noRestrictedImports'],
  ['telemetry neither', 'packages/telemetry/src/a.ts', '@fanion/contract', 'noRestrictedImports'],
  ['stats neither', 'packages/stats/src/a.ts', '@fanion/contract', 'noRestrictedImports'],
  ['flag-engine neither', 'packages/flag-engine/src/a.ts', '@fanion/oql', 'noRestrictedImports'],
  ['the SDK only knows the engine', 'packages/sdk/src/a.ts', '@fanion/contract', 'noRestrictedImports'],
  ['the contract does not know the server', 'packages/contract/src/a.ts', '@fanion/server', 'noRestrictedImports'],
  ['nor does the web application', 'packages/web/src/a.ts', '@fanion/server', 'noRestrictedImports'],
  ['the command does not know the SDK', 'packages/cli/src/a.ts', '@fanion/sdk', 'noRestrictedImports'],
  ['the server does not know the demo', 'packages/server/src/a.ts', '@fanion/demo', 'noRestrictedImports'],
  [
    'platform does not know features',
    'packages/server/src/platform/a.ts',
    '../features/identity/access/index.ts',
    'noRestrictedImports',
  ],
  [
    'http does not know features',
    'packages/server/src/http/a.ts',
    '../features/identity/access/index.ts',
    'noRestrictedImports',
  ],
  [
    'a feature enters another by its index',
    'packages/server/src/features/flags/changes/a.ts',
    '../../identity/access/store.ts',
    'noRestrictedImports',
  ],
  ['rules are pure', 'packages/server/src/features/flags/flags/rules.ts', './store.ts', 'noRestrictedImports'],
] as const;
const allowed = [
  ['series, from oql', 'packages/oql/src/b.ts', '@fanion/series'],
  ['the index of another feature', 'packages/server/src/features/flags/changes/b.ts', '../../identity/access/index.ts'],
  ['the contract, from the web application', 'packages/web/src/b.ts', '@fanion/contract'],
  ['the editor, from the web application', 'packages/web/src/c.ts', '@fanion/oql/editor'],
] as const;

describe('dependencies between packages', () => {
  let findings: string[] = [];
  let directory = '';

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'fanion-walls-'));
    copyFileSync(config, join(directory, 'biome.json'));
    const plant = (path: string, content: string) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    };
    for (const [, path, imported] of [...violations, ...allowed]) plant(path, `import '${imported}';\n`);
    plant('packages/server/src/features/flags/environment.ts', 'export const x = process.env.X;\n');
    const run = spawnSync(
      process.execPath,
      [biome, 'lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.'],
      { cwd: directory, encoding: 'utf8' },
    );
    const report = JSON.parse(run.stdout) as {
      diagnostics: { category: string; location: { path: string | { file: string } } }[];
    };
    findings = report.diagnostics.map(({ category, location }) => {
      const path = typeof location.path === 'string' ? location.path : location.path.file;
      return `${path.replace(/^\.\//, '')} ${category.split('/').at(-1)}`;
    });
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(violations)('%s', (_name, path, _imported, rule) => {
    expect(findings).toContain(`${path} ${rule}`);
  });
  it('only one file reads the environment', () => {
    expect(findings).toContain('packages/server/src/features/flags/environment.ts noProcessEnv');
  });
  it.each(allowed)('allow %s', (_name, path) => {
    expect(findings.filter((finding) => finding.startsWith(path))).toEqual([]);
  });
});

describe('dependencies within the server and the contract', () => {
  const server = 'packages/server/src';
  it.each([
    [
      'a nested file enters another feature',
      `${server}/features/telemetry/ingest/worker/a.ts`,
      "from '../../../identity/access/store.ts'",
    ],
    ['a feature is composed of its inside', `${server}/compose.ts`, "from './features/identity/access/store.ts'"],
    [
      'a feature reads the settings of another',
      `${server}/features/slos/slos/a.ts`,
      "from '../../judging/replay/settings.ts'",
    ],
    ['the configuration loads a feature', `${server}/config.ts`, "from './features/judging/replay/index.ts'"],
    ['a feature knows a protocol', `${server}/features/telemetry/ingest/a.ts`, "from '../../../protocols/index.ts'"],
    [
      'a feature compiles a query itself',
      `${server}/features/dashboards/saved-queries/service.ts`,
      "import { validate } from '@fanion/oql'",
    ],
    [
      'a feature reads telemetry past the gateway',
      `${server}/features/telemetry/traces/store.ts`,
      "from '../../../platform/clickhouse/index.ts'",
    ],
    ['platform knows http', `${server}/platform/jobs/a.ts`, "from '../../http/mount.ts'"],
    ['SQL stands in a service', `${server}/features/flags/flags/service.ts`, "db.selectFrom('flags')"],
    ['SQL stands in a handler, as text', `${server}/features/flags/flags/handlers.ts`, 'query(`SELECT 1 FROM flags`)'],
    ['rules look at the clock', `${server}/features/identity/projects/retention-rules.ts`, 'const now = Date.now();'],
    ['rules read a file', `${server}/features/flags/flags/rules.ts`, "from 'node:fs'"],
    ['the contract runs the compiler', 'packages/contract/src/a.ts', "import { parse } from '@fanion/oql';"],
  ])('rejects %s', (_name, path, text) => {
    expect(breaches(path, text)).toHaveLength(1);
  });
  it.each([
    [`${server}/features/telemetry/ingest/worker/a.ts`, "from '../../../identity/access/index.ts'"],
    [`${server}/features/telemetry/ingest/worker/a.ts`, "from '../limits/refusals.ts'"],
    [`${server}/config.ts`, "from './features/judging/replay/settings.ts'"],
    [`${server}/features/flags/flags/ruleset-store.ts`, "db.selectFrom('flags')"],
    [`${server}/features/identity/projects/retention-rules.ts`, 'const until = new Date(now);'],
    ['packages/contract/src/a.ts', "import type { FieldCatalogue } from '@fanion/oql';"],
  ])('allows in %s: %s', (path, text) => {
    expect(breaches(path, text)).toEqual([]);
  });
  it('hold in the present code', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const files = ['server', 'contract'].flatMap((name) =>
      readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `packages/${name}/src/${file}`),
    );
    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((path) => breaches(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});
