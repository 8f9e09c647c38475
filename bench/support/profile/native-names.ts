import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Names for code of a stripped C++ library (ELF, x86-64): a virtual function is named by the class whose table holds it and its place
 * there, a lambda by the function around it. The tables and the names of their classes are still in the library, because the language
 * needs them while it runs (RTTI). Other functions stay without a name.
 */
export interface NativeNames {
  readonly file: string;
  /** The function that the code at this place of the file belongs to; undefined if it has no name. */
  nameOf(offset: number): string | undefined;
}

interface Section {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

const RELATIVE = 8;

export function readNativeNames(file: string): NativeNames {
  const sections = readSections(file);
  const [text, rodata, tables] = [sections.of('.text'), sections.of('.rodata'), sections.of('.data.rel.ro')];
  const within = ({ address, size }: Section, at: number) => at >= address && at < address + size;
  const words = relocated(sections.bytes('.rela.dyn'));
  const constants = sections.bytes('.rodata');
  const textAt = (at: number) => {
    const from = at - rodata.address;
    return constants.toString('latin1', from, constants.indexOf(0, from));
  };

  // A type is a pointer to one of few tables, then one to its mangled name.
  const types = new Map<number, string>();
  for (const [at, target] of words) {
    const name = words.get(at + 8);
    if (!within(tables, at) || !within(tables, target) || name === undefined || !within(rodata, name)) continue;
    const mangled = textAt(name);
    if (/^(N|S|Z|\d)[\w$.]+$/.test(mangled)) types.set(at, mangled);
  }
  // A table of virtual functions follows the pointer to its class.
  const holders = new Map<number, { type: number; slot: number }[]>();
  for (const [at, type] of words) {
    if (!within(tables, at) || !types.has(type)) continue;
    for (let slot = 0; ; slot++) {
      const target = words.get(at + 8 + slot * 8);
      if (target === undefined || !within(text, target)) break;
      const known = holders.get(target);
      if (known) known.push({ type, slot });
      else holders.set(target, [{ type, slot }]);
    }
  }
  const isDerived = (type: number, among: ReadonlySet<number>) => {
    const base = words.get(type + 16);
    return base !== undefined && among.has(base);
  };
  const chosen = new Map<number, { type: number; slot: number }>();
  for (const [start, all] of holders) {
    const among = new Set(all.map(({ type }) => type));
    const bases = all.filter(({ type }) => !isDerived(type, among));
    const [first] = (bases.length > 0 ? bases : all).sort(
      (a, b) => (types.get(a.type) ?? '').length - (types.get(b.type) ?? '').length,
    );
    // Functions with equal code of many classes are one after linking, and belong to none of them.
    if (first && bases.length <= 8) chosen.set(start, first);
  }
  const used = [...new Set([...chosen.values()].map(({ type }) => types.get(type) ?? ''))];
  const readable = demangled(used);
  const starts = functionStarts(sections);

  return {
    file,
    nameOf(offset) {
      const start = startOf(starts, offset + text.address - text.offset);
      const held = chosen.get(start);
      if (held === undefined) return undefined;
      return `${shortened(readable.get(types.get(held.type) ?? '') ?? '')}#${held.slot}`;
    },
  };
}

function readSections(file: string) {
  const fd = openSync(file, 'r');
  const read = (offset: number, size: number) => {
    const bytes = Buffer.allocUnsafe(size);
    for (let done = 0; done < size; ) done += readSync(fd, bytes, done, size - done, offset + done);
    return bytes;
  };
  const head = read(0, 64);
  const [table, entry, count, namesAt] = [
    Number(head.readBigUInt64LE(40)),
    head.readUInt16LE(58),
    head.readUInt16LE(60),
    head.readUInt16LE(62),
  ];
  const headers = read(table, entry * count);
  const sectionAt = (index: number): Section & { name: number } => ({
    name: headers.readUInt32LE(index * entry),
    address: Number(headers.readBigUInt64LE(index * entry + 16)),
    offset: Number(headers.readBigUInt64LE(index * entry + 24)),
    size: Number(headers.readBigUInt64LE(index * entry + 32)),
  });
  const nameSection = sectionAt(namesAt);
  const names = read(nameSection.offset, nameSection.size);
  const byName = new Map<string, Section>();
  for (let i = 0; i < count; i++) {
    const { name, ...section } = sectionAt(i);
    byName.set(names.toString('latin1', name, names.indexOf(0, name)), section);
  }
  const of = (name: string) => {
    const section = byName.get(name);
    if (section === undefined) throw new Error(`${file} has no section ${name}`);
    return section;
  };
  return { of, bytes: (name: string) => read(of(name).offset, of(name).size), close: () => closeSync(fd) };
}

/** What the loader writes into the library: pointers within itself, by their addresses. */
function relocated(rela: Buffer): Map<number, number> {
  const words = new Map<number, number>();
  for (let at = 0; at + 24 <= rela.length; at += 24) {
    if (rela.readUInt32LE(at + 8) !== RELATIVE) continue;
    words.set(Number(rela.readBigUInt64LE(at)), Number(rela.readBigUInt64LE(at + 16)));
  }
  return words;
}

/** Where functions begin, ascending: the table that exceptions are unwound by. */
function functionStarts(sections: ReturnType<typeof readSections>): Float64Array {
  const table = sections.bytes('.eh_frame_hdr');
  const { address } = sections.of('.eh_frame_hdr');
  const count = table.readUInt32LE(8);
  const starts = new Float64Array(count);
  for (let i = 0; i < count; i++) starts[i] = address + table.readInt32LE(12 + i * 8);
  sections.close();
  return starts;
}

function startOf(starts: Float64Array, address: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= address) low = middle;
    else high = middle;
  }
  return starts[low] ?? 0;
}

function demangled(mangled: readonly string[]): Map<string, string> {
  const input = mangled.map((name) => `_ZTS${name}`).join('\n');
  const output = execFileSync('c++filt', { input, maxBuffer: 1 << 30 })
    .toString()
    .split('\n');
  return new Map(mangled.map((name, i) => [name, (output[i] ?? name).replace('typeinfo name for ', '')]));
}

/** Without parameters of templates and functions, and without the standard library's wrapper of a lambda. */
function shortened(name: string): string {
  const wrapped = /^std::\w+::__function::__func<(.*)>$/.exec(name)?.[1] ?? name;
  let text = wrapped.replaceAll('(anonymous namespace)', '{}');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/<[^<>]*>|\([^()]*\)(?: const)?/g, '');
  }
  return (text.split(', ')[0] ?? text).replaceAll('std::__1::', 'std::').replaceAll('DB::', '').trim();
}
