/** The formats of a result; the first is the default. */
export const resultMedia = {
  json: ['application/json'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  arrow: ['application/vnd.apache.arrow.stream'],
} as const;
export type ResultForm = keyof typeof resultMedia;

const forms = Object.keys(resultMedia) as ResultForm[];

/**
 * The format that an `Accept` header prefers, by RFC 9110 §12.5.1: the most specific matching range gives a type's
 * weight, the highest weight wins, and ties follow the order above. Undefined: none is acceptable.
 */
export function chooseForm(accept: string | undefined): ResultForm | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = accept.split(',').flatMap(readRange);
  let best: { form: ResultForm; weight: number } | undefined;
  for (const form of forms) {
    const weight = Math.max(...resultMedia[form].map((type) => weightOf(type, ranges)));
    if (weight > (best?.weight ?? 0)) best = { form, weight };
  }
  return best?.form;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

/**
 * `text/csv;header=present;q=0.5`; an invalid weight counts as 0. Parameters are ignored, since each type has one form.
 */
function readRange(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!/^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(type)) return [];
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
  if (q === undefined) return [{ type, weight: 1 }];
  return [{ type, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0 }];
}

function weightOf(type: string, ranges: readonly Range[]): number {
  for (const pattern of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const matching = ranges.filter((range) => range.type === pattern);
    if (matching.length > 0) return Math.max(...matching.map(({ weight }) => weight));
  }
  return 0;
}
