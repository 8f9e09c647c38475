import { open } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { InvalidFiles } from './documents.ts';

const maxBytes = 16 * 1024 * 1024;

/**
 * The content of a YAML file of another product.
 *
 * @throws InvalidFiles
 */
export async function readYamlFile(file: string): Promise<unknown> {
  try {
    return parseYaml(await readLimited(file));
  } catch (error) {
    throw new InvalidFiles([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Throws an error with the line of what is wrong. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  // People use anchors in such files; a hundred of them cannot become gigabytes.
  return document.toJS({ maxAliasCount: 100 });
}

async function readLimited(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new Error(`the file has more than ${maxBytes / 1024 / 1024} MiB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
