import { NoEqual } from '../files/report.ts';

const labelName = '[A-Za-z_][A-Za-z0-9_]*';
const label = new RegExp(`^(?:\\$labels|\\.Labels)\\.(${labelName})$`);
const indexed = /^index\s+(?:\$labels|\.Labels)\s+"([^"\\]+)"$/;
const value = /^(?:\$value|\.Value)$/;

/** Go's functions on numbers: the closest filters, and what they show differently. */
const numbers: Readonly<Record<string, readonly [text: (of: string) => string, differs: string]>> = {
  humanize: [(of) => `{{ ${of} | round: 3 }}`, 'numbers have no prefixes such as k and M'],
  humanize1024: [(of) => `{{ ${of} | round: 3 }}`, 'numbers have no prefixes such as Ki and Mi'],
  humanizeDuration: [(of) => `{{ ${of} | round: 3 }}s`, 'durations are in seconds'],
  humanizePercentage: [(of) => `{{ ${of} | times: 100 | round: 2 }}%`, 'percentages have two decimal places'],
};
const texts: Readonly<Record<string, string>> = { toUpper: 'upcase', toLower: 'downcase' };

/**
 * A template of Prometheus (Go) as one of ours (Liquid).
 *
 * @param differs called with what the converted template shows differently
 * @throws NoEqual
 */
export function annotationOf(text: string, differs: (what: string) => void): string {
  const parts = text.split(/(\{\{-?[\s\S]*?-?\}\})/);
  const converted = parts.map((part, i) => (i % 2 === 1 ? action(part, differs) : literal(part))).join('');
  if (converted.length > 4_096) throw new NoEqual('it has more than 4096 characters');
  return converted;
}

/** Text that Liquid would read as a tag. */
function literal(text: string): string {
  if (text.includes('{{')) throw new NoEqual('an action is not closed');
  return text.includes('{%') ? `{% raw %}${text}{% endraw %}` : text;
}

function action(part: string, differs: (what: string) => void): string {
  const [, before = '', inner = '', after = ''] = /^\{\{(-?)([\s\S]*?)(-?)\}\}$/.exec(part) ?? [];
  const content = inner.trim();
  if (content.startsWith('/*')) return '';
  const trimmed = (text: string) => text.replace(/^\{\{/, `{{${before}`).replace(/\}\}/, `${after}}}`);
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)$/.exec(content);
  if (quoted) return `{% raw %}${quoted[2] ?? (quoted[1] ?? '').replace(/\\(.)/g, '$1')}{% endraw %}`;
  const printed = /^printf\s+"([^"]*)"\s+(\S+)((?:\s*\|.*)?)$/.exec(content);
  if (printed) return trimmed(printedNumber(printed[1] ?? '', printed[2] ?? '', printed[3] ?? '', differs));
  const [subject = '', ...pipes] = content.split('|').map((one) => one.trim());
  const of = reference(subject);
  if (of === undefined) throw new NoEqual(`there is no equal of {{ ${content} }}`);
  const [pipe, ...more] = pipes;
  if (pipe === undefined) {
    if (of === 'value') differs('numbers are shown as 1500000, not as 1.5e+06');
    return trimmed(`{{ ${of} }}`);
  }
  if (more.length > 0) throw new NoEqual(`there is no equal of {{ ${content} }}`);
  const number = Object.hasOwn(numbers, pipe) ? numbers[pipe] : undefined;
  if (number !== undefined && of === 'value') {
    differs(number[1]);
    return trimmed(number[0](of));
  }
  const printedBy = /^printf\s+"([^"]*)"$/.exec(pipe);
  if (printedBy) return trimmed(printedNumber(printedBy[1] ?? '', subject, '', differs));
  const filter = Object.hasOwn(texts, pipe) ? texts[pipe] : undefined;
  if (filter !== undefined && of !== 'value') return trimmed(`{{ ${of} | ${filter} }}`);
  throw new NoEqual(`there is no equal of {{ ${content} }}`);
}

function reference(subject: string): string | undefined {
  if (value.test(subject)) return 'value';
  const name = label.exec(subject)?.[1] ?? indexed.exec(subject)?.[1];
  return name === undefined ? undefined : `labels[${JSON.stringify(name)}]`;
}

/** `printf "%.2f%%" $value` */
function printedNumber(format: string, subject: string, rest: string, differs: (what: string) => void): string {
  const [, before = '', verb = '', after = ''] = /^([^%]*)(%(?:\.\d+)?[fgvsd])((?:[^%]|%%)*)$/.exec(format) ?? [];
  const of = reference(subject);
  if (of === undefined || verb === '' || rest.trim() !== '')
    throw new NoEqual(`there is no equal of printf ${JSON.stringify(format)} ${subject}${rest}`);
  const around = (text: string) => `${before}${text}${after.replaceAll('%%', '%')}`;
  if (verb === '%s' || verb === '%v' || verb === '%g') return around(`{{ ${of} }}`);
  const digits = /^%\.(\d+)f$/.exec(verb)?.[1];
  if (of !== 'value' || (digits === undefined && verb !== '%f'))
    throw new NoEqual(`there is no equal of printf ${JSON.stringify(format)}`);
  differs('rounded numbers have no zeros at the end');
  return around(`{{ value | round${digits === '0' ? '' : `: ${digits ?? '6'}`} }}`);
}
