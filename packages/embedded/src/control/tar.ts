import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** tar(5), "Pre-POSIX" fields with the ustar magic: enough for a folder of plain files. */
const BLOCK = 512;
const CHUNK = 1 << 20;

/** Writes the folder's files and folders into one tar file. Nothing may change in the folder meanwhile. */
export async function packFolder(folder: string, tar: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const pack = async (path: string) => {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        await tar.writeFile(header(`${name}/`, 0, '5'));
        await pack(name);
      } else if (entry.isFile()) {
        const { size } = await stat(join(folder, name));
        await tar.writeFile(header(name, size, '0'));
        await copyInto(tar, join(folder, name), size, buffer);
      }
    }
  };
  await pack('');
  await tar.writeFile(Buffer.alloc(2 * BLOCK));
}

async function copyInto(tar: FileHandle, path: string, size: number, buffer: Buffer): Promise<void> {
  const file = await open(path);
  try {
    for (let left = size; left > 0; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(left, CHUNK));
      if (bytesRead === 0) throw new Error(`${path} has shrunk while it was packed`);
      await tar.writeFile(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
  } finally {
    await file.close();
  }
  await tar.writeFile(Buffer.alloc(padding(size)));
}

/** Unpacks a tar file of `packFolder` into a new folder. */
export async function unpackFolder(tar: Readable, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const read = exactReader(tar);
  for (;;) {
    const head = await read(BLOCK);
    if (head.every((byte) => byte === 0)) break;
    const name = head.toString('utf8', 0, head.indexOf(0));
    const size = Number.parseInt(head.toString('latin1', 124, 135), 8);
    if (checksum(head) !== Number.parseInt(head.toString('latin1', 148, 154), 8) || name.split('/').includes('..')) {
      throw new Error('not a snapshot, or a damaged one');
    }
    if (name.endsWith('/')) {
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    } else {
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      const file = await open(join(folder, name), 'wx', 0o600);
      try {
        for (let left = size; left > 0; left -= Math.min(left, CHUNK)) {
          await file.writeFile(await read(Math.min(left, CHUNK)));
        }
      } finally {
        await file.close();
      }
      await read(padding(size));
    }
  }
  // Reads to the end, where a compressed stream has its checksum.
  while ((await read(CHUNK, true)).length > 0);
}

/** Reads exactly this many bytes; fewer only at the end of the stream and if `orLess` is set. */
function exactReader(stream: Readable): (bytes: number, orLess?: boolean) => Promise<Buffer> {
  const source = stream[Symbol.asyncIterator]();
  let chunks: Buffer[] = [];
  let size = 0;
  return async (bytes, orLess = false) => {
    while (size < bytes) {
      const { value, done } = await source.next();
      if (done && orLess) return Buffer.alloc(0);
      if (done) throw new Error('it ends too early');
      chunks.push(value);
      size += value.length;
    }
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
    chunks = [all.subarray(bytes)];
    size -= bytes;
    return all.subarray(0, bytes);
  };
}

function header(name: string, size: number, type: '0' | '5'): Buffer {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a tar file`);
  block.write(name);
  block.write(type === '5' ? '0000700\0' : '0000600\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Checksum of a header, with its own eight bytes counted as blanks. */
function checksum(head: Buffer): number {
  let sum = 8 * 32;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += head[at] ?? 0;
  return sum;
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
