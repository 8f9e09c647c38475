import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../testing/temporary.ts';
import { packFolder, unpackFolder } from './tar.ts';

async function packedFolder(): Promise<{ folder: string; tar: string }> {
  const folder = temporaryDirectory();
  const tar = join(temporaryDirectory(), 'packed.tar');
  mkdirSync(join(folder, 'base/1'), { recursive: true });
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'base/1/large'), Buffer.alloc(3_000_001, 'x'));
  writeFileSync(join(folder, 'base/1/whole-block'), Buffer.alloc(512, 'y'));
  writeFileSync(join(folder, 'nothing'), '');
  writeFileSync(join(folder, 'Grüße'), '🚩');
  const file = await open(tar, 'w');
  await packFolder(folder, file);
  await file.close();
  return { folder, tar };
}

const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length), entry.isFile() ? readFileSync(path, 'latin1') : 'a folder'];
    })
    .sort();

test('unpacks what it packed', async () => {
  const { folder, tar } = await packedFolder();
  const unpacked = join(temporaryDirectory(), 'unpacked');
  await unpackFolder(createReadStream(tar), unpacked);
  expect(contents(unpacked)).toEqual(contents(folder));
});

test('writes files that tar can read', async () => {
  const { folder, tar } = await packedFolder();
  const unpacked = temporaryDirectory();
  execFileSync('tar', ['-xf', tar, '-C', unpacked]);
  expect(contents(unpacked)).toEqual(contents(folder));
});

test('rejects a file that is truncated, damaged or reaches outside of its folder', async () => {
  const { tar } = await packedFolder();
  const bytes = readFileSync(tar);
  const unpack = (damaged: Buffer) => unpackFolder(Readable.from([damaged]), join(temporaryDirectory(), 'unpacked'));
  await expect(unpack(bytes.subarray(0, 2_000))).rejects.toThrow('ends too early');
  await expect(unpack(Buffer.from(bytes).fill('z', 0, 5))).rejects.toThrow('damaged');
  await expect(unpack(Buffer.alloc(0))).rejects.toThrow('ends too early');
});
