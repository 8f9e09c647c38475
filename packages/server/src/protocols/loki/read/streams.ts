import { createBreath } from '../../../platform/breath.ts';
import { type Line, labelsOf } from './line-rules.ts';

interface Stream {
  readonly stream: Readonly<Record<string, string>>;
  readonly values: unknown[];
}

/** Lines by the labels of their streams; other requests get a turn in between. */
export async function grouped(lines: readonly Line[], isCategorized: boolean): Promise<Stream[]> {
  const streams = new Map<string, Stream>();
  const breath = createBreath();
  for (const line of lines) {
    const labels = isCategorized ? new Map([...line.stream].toSorted(([a], [b]) => (a < b ? -1 : 1))) : labelsOf(line);
    const key = JSON.stringify([...labels]);
    const known = streams.get(key) ?? { stream: Object.fromEntries(labels), values: [] };
    if (!streams.has(key)) streams.set(key, known);
    const entry = [String(line.timeNs), line.text];
    known.values.push(isCategorized ? [...entry, categories(line)] : entry);
    await breath();
  }
  return [...streams.values()];
}

/** Lines in their order: only adjacent ones share a stream. `logcli` prints a tail as it receives it. */
export async function inOrder(lines: readonly Line[]): Promise<Stream[]> {
  const streams: (Stream & { readonly key: string })[] = [];
  const breath = createBreath();
  for (const line of lines) {
    const labels = labelsOf(line);
    const key = JSON.stringify([...labels]);
    const entry = [String(line.timeNs), line.text];
    const last = streams.at(-1);
    if (last?.key === key) last.values.push(entry);
    else streams.push({ key, stream: Object.fromEntries(labels), values: [entry] });
    await breath();
  }
  return streams.map(({ stream, values }) => ({ stream, values }));
}

function categories({ metadata, parsed }: Line): Readonly<Record<string, unknown>> {
  return {
    ...(metadata.size > 0 && { structuredMetadata: Object.fromEntries(metadata) }),
    ...(parsed.size > 0 && { parsed: Object.fromEntries(parsed) }),
  };
}
