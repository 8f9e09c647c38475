import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { shippedPackages } from '../scripts/shipped.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** They allow what Apache-2.0 allows; the fonts' licence only forbids selling the fonts alone. */
const compatible = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'OFL-1.1'],
  ...['Unlicense', '(MIT OR CC0-1.0)'],
]);
/** Their manifests name no licence; the file in each package does. */
const unnamed = ['@openfeature/ofrep-core', '@openfeature/ofrep-provider'];

it('everything that is shipped has a licence that is compatible with Apache-2.0', () => {
  const shipped = shippedPackages();
  expect(shipped.length).toBeGreaterThan(100);
  const others = shipped.filter(({ license }) => license === undefined || !compatible.has(license));
  expect([...new Set(others.map(({ name }) => name))]).toEqual(unnamed);
  for (const name of unnamed)
    expect(readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')).toMatch(/Apache License\s+Version 2\.0/);
});

it('the bill of materials names each shipped package once, with its hash and licence', () => {
  const bom = JSON.parse(execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs')], { encoding: 'utf8' }));
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'fanion' } },
  });
  const names = bom.components.map((component: { purl: string }) => component.purl);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([expect.stringMatching(/^pkg:npm\/chdb@/), expect.stringMatching(/^pkg:npm\/react@/)]),
  );
  for (const { hashes, licenses, name } of bom.components) {
    expect(hashes[0]).toEqual({ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) });
    expect(licenses.length, name).toBe(unnamed.includes(name) ? 0 : 1);
  }
});
