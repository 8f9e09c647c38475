import { fail } from '../../../platform/fail.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { nanosecondsOf } from './traceql/correct.ts';
import type { Expression, Field, Spanset, Stage, Static } from './traceql/tree.ts';

export function invalid(name: string, reason: string): Error {
  return fail('TEMPO_PARAMETER_INVALID', { name, reason });
}

const defaultSinceNs = 3_600n * 1_000_000_000n;

/** Nanoseconds of a time: Unix seconds, with more than 14 digits nanoseconds, or RFC 3339. */
function timeOf(name: string, text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return text.length > 14 ? BigInt(text) : BigInt(text) * 1_000_000_000n;
  const [, whole, fraction = ''] = /^(\d{1,10})\.(\d{1,9})$/.exec(text) ?? [];
  if (whole !== undefined) return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0)) throw invalid(name, `cannot parse ${JSON.stringify(text)} as a time`);
  return BigInt(ms) * 1_000_000n;
}

/** The window of a request, by default the last hour. */
export function windowOf(parameters: Parameters, nowMs: number): Window {
  const [start, end, since] = [parameters.one('start'), parameters.one('end'), parameters.one('since')];
  const to = end === undefined || end === '0' ? BigInt(nowMs) * 1_000_000n : timeOf('end', end);
  const width = since === undefined ? defaultSinceNs : durationOf('since', since);
  const from = start === undefined || start === '0' ? to - width : timeOf('start', start);
  if (to <= from) throw invalid('end', 'it must be after start');
  const { fromNs, toNs } = storable({ fromNs: from, toNs: to });
  // After the end of the store's time nothing is stored.
  return fromNs < toNs ? { fromNs, toNs } : { fromNs: fromNs - 1n, toNs: fromNs };
}

/** Nanoseconds of `1m30s`, or of a number of seconds. */
export function durationOf(name: string, text: string): bigint {
  if (/^\d+(\.\d+)?$/.test(text)) return nanosecondsOf(`${text}s`);
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text))
    throw invalid(name, `cannot parse ${JSON.stringify(text)} as a duration`);
  return nanosecondsOf(text);
}

export function countOf(parameters: Parameters, name: string, otherwise: number, most: number): number {
  const text = parameters.one(name);
  if (text === undefined) return otherwise;
  if (!/^\d{1,10}$/.test(text)) throw invalid(name, `cannot parse ${JSON.stringify(text)} as a number`);
  if (Number(text) > most) throw invalid(name, `it is larger than ${most}`);
  return Number(text);
}

/** The stages of a search without TraceQL: attributes that spans of a trace have, and how long the trace took. */
export function stagesOfTags(parameters: Parameters): Stage[] {
  const conditions = tagsOf(parameters.one('tags') ?? '').map(([key, value]) => conditionOfTag(key, value));
  return [{ kind: 'spanset', spanset: conjunction([...conditions, ...durationConditions(parameters)]) }];
}

/** Conditions of `minDuration` and `maxDuration`. */
export function durationConditions(parameters: Parameters): Expression[] {
  return (['minDuration', 'maxDuration'] as const).flatMap((name) => {
    const text = parameters.one(name);
    if (text === undefined) return [];
    const nanoseconds = durationOf(name, text);
    const field: Field = { kind: 'intrinsic', name: 'traceDuration' };
    return [compared(field, { type: 'duration', nanoseconds }, name === 'minDuration' ? '>=' : '<=')];
  });
}

function conjunction(conditions: readonly Expression[]): Spanset {
  const [first, ...rest] = conditions.map((condition): Spanset => ({ kind: 'filter', condition }));
  if (first === undefined)
    return { kind: 'filter', condition: { kind: 'static', static: { type: 'bool', value: true } } };
  return rest.reduce((left, right) => ({ kind: 'operation', operator: '&&', left, right }), first);
}

function compared(field: Field, value: Static, operator: '=' | '>=' | '<='): Expression {
  return { kind: 'binary', operator, left: { kind: 'field', field }, right: { kind: 'static', static: value } };
}

const logfmt = /([^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/y;

/** Pairs of logfmt. */
function tagsOf(text: string): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  const rest = text.trim();
  for (let at = 0; at < rest.length; ) {
    logfmt.lastIndex = at;
    const [whole, key, value] = logfmt.exec(rest) ?? [];
    if (whole === undefined || key === undefined || value === undefined)
      throw invalid('tags', `it is not logfmt: ${rest.slice(at, at + 40)}`);
    pairs.push([key, value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value]);
    at += whole.length;
    while (rest[at] === ' ') at++;
  }
  return pairs;
}

const intrinsicTags: Readonly<Record<string, Field>> = {
  name: { kind: 'intrinsic', name: 'name' },
  'root.name': { kind: 'intrinsic', name: 'rootName' },
  'root.service.name': { kind: 'intrinsic', name: 'rootServiceName' },
};

function conditionOfTag(key: string, value: string): Expression {
  const intrinsic = Object.hasOwn(intrinsicTags, key) ? intrinsicTags[key] : undefined;
  if (intrinsic !== undefined) return compared(intrinsic, { type: 'string', value }, '=');
  if (key === 'status.code' || key === 'status') {
    if (!['ok', 'error', 'unset'].includes(value)) throw invalid('tags', `${key} is ok, error or unset`);
    return compared({ kind: 'intrinsic', name: 'status' }, { type: 'status', value }, '=');
  }
  const field: Field = { kind: 'attribute', scope: 'any', name: key };
  const values: Static[] = [{ type: 'string', value }];
  if (/^-?\d{1,18}$/.test(value)) values.push({ type: 'int', value: BigInt(value) });
  if (value === 'true' || value === 'false') values.push({ type: 'bool', value: value === 'true' });
  return values
    .map((one) => compared(field, one, '='))
    .reduce((left, right) => ({ kind: 'binary', operator: '||', left, right }));
}
