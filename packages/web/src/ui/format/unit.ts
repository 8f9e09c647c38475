const NAMES: Readonly<Record<string, string>> = { '1': '', By: 'bytes', bit: 'bits', Cel: '°C', us: 'µs' };

/**
 * A UCUM unit as people write it: `{request}/s` reads requests/s, `By` bytes. Annotations in braces are what is counted.
 * Empty for a plain number.
 */
export function unitText(unit: string): string {
  const [amount = '', ...per] = unit.split('/').map((part) => part.trim());
  // What stands below the line is one: requests/connection.
  const below = per.map((part) => `/${nameOf(part, false)}`).join('');
  return `${nameOf(amount, true)}${below}`;
}

function nameOf(part: string, many: boolean): string {
  const [, code = '', note] = /^([^{]*)(?:\{([^}]*)\})?$/.exec(part) ?? [undefined, part];
  // The annotation of a unit (`By{sent}`) explains it; by itself, it is a noun.
  if (note === undefined) return NAMES[code] ?? code;
  if (code !== '' && code !== '1') return [NAMES[code] ?? code, note].filter(Boolean).join(' ');
  return many ? plural(note.replaceAll('_', ' ')) : note.replaceAll('_', ' ');
}

function plural(noun: string): string {
  if (/(s|x|z|ch|sh)$/.test(noun)) return /[^s]s$/.test(noun) && !/us$/.test(noun) ? noun : `${noun}es`;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun === '' ? '' : `${noun}s`;
}
