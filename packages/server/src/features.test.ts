import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allRoutes } from '@fanion/contract';
import { expect, it } from 'vitest';
import { changeKinds, features } from './features.ts';

const folder = fileURLToPath(new URL('./features/', import.meta.url));

it('names each feature as its folder, whose index declares it', () => {
  for (const { name } of features) {
    expect(existsSync(`${folder}${name}/index.ts`), name).toBe(true);
    expect(readFileSync(`${folder}${name}/index.ts`, 'utf8'), name).toContain(`name: '${name}'`);
  }
});

it('knows every change kind once', () => {
  const kinds = changeKinds.map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual([
    'experiment',
    'flag',
    'guarded_release',
    'prerequisites',
    'ramp',
    'segment',
    'targeting',
  ]);
  expect(new Set(allRoutes.map(({ id }) => id)).size).toBe(allRoutes.length);
});
