import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type Config, readConfig, settings } from '../packages/server/src/config.ts';
import { listSettings } from '../packages/server/src/platform/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the configuration page', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-docs-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z0-9_<>]+)` \| ([^|]*) \| ([^|]*) \|/gm)].map(
    ([, name = '', defaults = '', range = '']) => ({ name, defaults: codeIn(defaults), range, values: codeIn(range) }),
  );
  const base = { FANION_DATA_DIR: directory, FANION_SECRET_KEY: 'a key of the documentation test, long enough' };
  const configOf = (variables: Readonly<Record<string, string>>): Config => readConfig({ ...base, ...variables });

  function codeIn(cell: string): string[] {
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  }

  it('documents exactly the existing variables', () => {
    const declared = listSettings(settings).map(({ variable }) => variable);
    const providers = read('packages/server/src/config/oidc.ts');
    const ofProviders = [...providers.matchAll(/(?:read|need)\('([A-Z_]+)'\)/g)].map(
      ([, name = '']) => `FANION_OIDC_<SLUG>_${name}`,
    );
    expect(declared.length).toBeGreaterThan(20);
    expect(rows.map(({ name }) => name).sort()).toEqual([...declared, ...new Set(ofProviders)].sort());
  });

  // This test sets FANION_DATA_DIR; the default of `FANION_SIGNUP` depends on the address.
  const withDefault = rows.filter(
    ({ name, defaults }) =>
      defaults.length === 1 && !name.includes('<') && name !== 'FANION_DATA_DIR' && name !== 'FANION_SECRET_KEY',
  );
  it.each(withDefault)('$name: defaults to $defaults', ({ name, defaults: [value = ''] }) => {
    expect(configOf({ [name]: value })).toEqual(configOf({}));
  });

  it('the data directory is ./data without FANION_DATA_DIR', () => {
    expect(settings.dataDir.schema.parse(undefined)).toBe('./data');
  });

  it.each(rows.filter(({ range }) => /^`[\d.]+` to `[\d.]+`$/.test(range)))(
    '$name takes $values and nothing beyond',
    ({ name, values: [low = '', high = ''] }) => {
      for (const value of [low, high]) expect(() => configOf({ [name]: value })).not.toThrow();
      expect(() => configOf({ [name]: String(Number(low) - 1) })).toThrow(name);
      expect(() => configOf({ [name]: String(Number(high) + 1) })).toThrow(name);
    },
  );

  it.each(rows.filter(({ range }) => /^at least `\d+`$/.test(range)))(
    '$name takes $values and nothing less',
    ({ name, values: [low = ''] }) => {
      expect(() => configOf({ [name]: low })).not.toThrow();
      expect(() => configOf({ [name]: String(Number(low) - 1) })).toThrow(name);
    },
  );

  it.each(rows.filter(({ range }) => /^at least \d+ characters$/.test(range)))(
    '$name is $range long',
    ({ name, range }) => {
      const length = Number(/\d+/.exec(range)?.[0]);
      expect(() => configOf({ [name]: 'x'.repeat(length) })).not.toThrow();
      expect(() => configOf({ [name]: 'x'.repeat(length - 1) })).toThrow(name);
    },
  );

  it.each(rows.filter(({ range }) => /^`\w+`(, `\w+`)+$/.test(range)))(
    '$name takes $values and nothing else',
    ({ name, values }) => {
      for (const value of values) expect(() => configOf({ [name]: value })).not.toThrow();
      expect(() => configOf({ [name]: 'something-else' })).toThrow(name);
    },
  );
});
