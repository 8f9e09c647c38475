import type { FlagMetadata } from '@fanion/flag-engine';

/** A flag's metadata in the form it is edited: one line `name = value` per field. A string that looks like another type is quoted. */
export function metadataText(metadata: FlagMetadata): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} = ${valueText(value)}`)
    .join('\n');
}

function valueText(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = readValue(value) === value && value.trim() === value && value !== '' && !value.includes('\n');
  return isPlain ? value : JSON.stringify(value);
}

/** The parsed metadata, or an error for the first malformed line. */
export function readMetadata(text: string): { metadata: FlagMetadata } | { wrong: string } {
  const metadata: Record<string, string | number | boolean> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, at).trim();
    if (at < 0 || name === '') return { wrong: `“${line.trim()}” does not have the form name = value` };
    if (Object.hasOwn(metadata, name)) return { wrong: `“${name}” appears twice` };
    metadata[name] = readValue(line.slice(at + 1).trim());
  }
  return { metadata };
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text)) return Number(text);
  if (!text.startsWith('"')) return text;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'string' ? read : text;
  } catch {
    // Text that only begins with a quote is taken literally.
    return text;
  }
}
