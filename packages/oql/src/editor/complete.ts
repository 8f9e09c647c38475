import { check } from '../check/check.ts';
import { outputColumns } from '../check/output.ts';
import type { Relation } from '../check/relation.ts';
import { type OqlFunction, signature } from '../functions/definition.ts';
import { FUNCTIONS } from '../functions/index.ts';
import { STAGES } from '../stages/index.ts';
import { SOURCE_KEYWORDS, STAGE_KEYWORDS } from '../stages/keywords.ts';
import type { StageKind } from '../syntax/ast.ts';
import { expectedAt } from '../syntax/errors.ts';
import { parse } from '../syntax/parse.ts';
import { printPath } from '../syntax/print.ts';

export type ProposalKind = 'source' | 'stage' | 'keyword' | 'function' | 'field' | 'value';

/** A completion at the cursor. */
export interface Proposal {
  readonly label: string;
  readonly kind: ProposalKind;
  /** The text to insert, if it is not the label. */
  readonly insert?: string;
  /** A type or signature. */
  readonly detail?: string;
  /** One sentence. */
  readonly info?: string;
}

export interface FieldHint {
  readonly name: string;
  readonly type?: string;
  readonly info?: string;
}

export interface Completion {
  /** The start of the word that a proposal replaces. */
  readonly from: number;
  readonly proposals: readonly Proposal[];
  /** The signal whose attributes are valid here too; absent if none are. */
  readonly fieldsOf?: string;
  /** The field whose values are valid here. */
  readonly valuesOf?: string;
  /** The cursor is in an open string: only a value is valid here, without its opening quote. */
  readonly inString?: true;
}

const SOURCE_INFO: Readonly<Record<string, string>> = {
  logs: 'Log records.',
  spans: 'Spans of traces, one row each.',
  traces: 'Whole traces, one row each.',
  events: 'Events of spans.',
  links: 'Links of spans.',
  metric: 'The points of a metric: `metric http.server.request.duration`.',
  exemplars: 'Individual measurements kept with a metric, and their traces.',
  metrics: 'Lists metrics.',
  fields: 'Lists fields and attributes.',
  profiles: 'Samples of profiles of a type: `profiles cpu`.',
  changes: 'What changed: flags, ramps, rollbacks, alerts, deploys and notes of people.',
  flags: 'Evaluations of a flag: `flags "checkout-v2"`.',
};
const WORD = /[\p{L}_@µ][\p{L}\p{N}_@.]*$/u;

/** The completions at an offset of a text: stages, sources, functions with their signatures, fields of the current rows. */
export function complete(text: string, offset: number): Completion {
  const before = text.slice(0, offset);
  const word = WORD.exec(before)?.[0] ?? '';
  const from = offset - word.length;
  const prefix = before.slice(0, from);
  const comparison =
    /((?:[\p{L}_@][\p{L}\p{N}_@.]*|`[^`]*`)+)\s*(?:==|!=|>=|<=|<|>|(?:not\s+)?in\s*\((?:[^()|]*,)?)\s*"?$/u.exec(
      prefix,
    );
  if (prefix.endsWith('"')) {
    return {
      from,
      proposals: [],
      inString: true,
      ...(comparison?.[1] ? { valuesOf: comparison[1].replace(/`/g, '') } : {}),
    };
  }
  const expected = expectedAt(prefix);
  const relation = relationBefore(prefix);
  const keywords = [...expected].filter((label) => /^[a-z]+$/.test(label));
  const proposals: Proposal[] = [];
  if (expected.has('where') && expected.has('stats')) {
    proposals.push(...stageProposals(), ...functionProposals('aggregate'));
    return { from, proposals };
  }
  const sources = keywords.filter((word) => SOURCE_KEYWORDS.includes(word));
  proposals.push(...sources.map((label): Proposal => ({ label, kind: 'source', info: SOURCE_INFO[label] ?? '' })));
  if (!expected.has('a name')) return { from, proposals: [...proposals, ...wordProposals(keywords)] };

  const members = comparison ? memberProposals(comparison[1] ?? '', relation) : [];
  if (sources.length === 0 || members.length > 0) {
    proposals.unshift(...members);
    proposals.push(...fieldProposals(relation), ...functionProposals('scalar'));
    if (insideStats(prefix)) proposals.push(...functionProposals('aggregate'), BUCKET);
    if (insideExtend(prefix))
      proposals.push(...functionProposals('window'), ...functionProposals('aggregate').map(overOthers));
  }
  const signal = relation?.rows?.signal;
  return {
    from,
    proposals: [...proposals, ...wordProposals(keywords)],
    ...(signal && sources.length === 0 ? { fieldsOf: signal } : {}),
    ...(comparison?.[1] ? { valuesOf: comparison[1].replace(/`/g, '') } : {}),
  };
}

const BUCKET: Proposal = {
  label: 'bucket',
  kind: 'function',
  insert: 'bucket(auto)',
  detail: 'bucket(width: duration | auto)',
  info: 'Groups by time.',
};

function insideExtend(prefix: string): boolean {
  return /\|\s*extend\b[^|]*$/.test(prefix);
}

/** In `extend`, an aggregate needs `over`. */
function overOthers(proposal: Proposal): Proposal {
  return {
    ...proposal,
    info: `${proposal.info ?? ''} In \`extend\` with \`over\`: \`${proposal.label}(x) over 5 buckets\`.`,
  };
}

function insideStats(prefix: string): boolean {
  const stage = prefix.slice(prefix.lastIndexOf('|') + 1).trimStart();
  return stage.startsWith('stats') || /\bby\b/.test(stage);
}

/** The input of the current stage: the result of the text before its `|`, as far as it is valid. */
function relationBefore(prefix: string): Relation | undefined {
  const opened = prefix.lastIndexOf('(', prefix.lastIndexOf('|'));
  const bounds = [
    prefix.slice(0, prefix.lastIndexOf('|')),
    opened >= 0 ? prefix.slice(opened + 1, prefix.lastIndexOf('|')) : '',
  ];
  for (const text of bounds) {
    const { query, findings } = parse(text);
    if (!query || findings.length > 0) continue;
    return check(query, { window: { fromNs: 0n, toNs: 3_600_000_000_000n }, nowNs: 3_600_000_000_000n }).relation;
  }
  return undefined;
}

/** Stages with more than one spelling. */
const SPELLINGS: Partial<Record<StageKind, readonly string[]>> = {
  range: ['rate', 'increase', 'delta'],
  promrate: ['promrate', 'promincrease'],
  trend: ['irate', 'deriv', 'predict', 'latest'],
};

function stageProposals(): Proposal[] {
  return STAGES.filter((stage) => stage.kind !== 'aggregate').flatMap((stage) => {
    const labels = SPELLINGS[stage.kind] ?? [stage.kind];
    return labels
      .filter((label) => STAGE_KEYWORDS.includes(label))
      .map((label): Proposal => ({ label, kind: 'stage', detail: stage.syntax, info: stage.doc }));
  });
}

function functionProposals(kind: OqlFunction['kind']): Proposal[] {
  return FUNCTIONS.filter((definition) => definition.kind === kind).map((definition) => ({
    label: definition.name,
    kind: 'function',
    insert:
      definition.parameters.length === 0 || definition.name === 'count'
        ? `${definition.name}()`
        : `${definition.name}(`,
    detail: signature(definition),
    info: definition.doc,
  }));
}

function fieldProposals(relation: Relation | undefined): Proposal[] {
  if (!relation) return [];
  const columns = relation.rows ? relation.columns : outputColumns(relation);
  const derived = columns.map((column): Proposal => ({ ...named(column.name), detail: column.value.type }));
  const { rows } = relation;
  const intrinsics = rows?.intrinsics.map(
    (name): Proposal => ({ ...named(name), detail: rows.intrinsic(name)?.type ?? '', info: rows.docOf(name) }),
  );
  const beside = [...(relation.beside ?? [])].flatMap(([name, other]) => besideProposals(name, other));
  return [...derived, ...(intrinsics ?? []), ...beside];
}

/** Fields of joined rows, such as `span.status`. */
function besideProposals(name: string, { rows }: Relation): Proposal[] {
  return (rows?.intrinsics ?? []).map(
    (field): Proposal => ({
      ...named(`${name}.${field}`),
      detail: rows?.intrinsic(field)?.type ?? '',
      info: rows?.docOf(field) ?? '',
    }),
  );
}

function named(name: string): Proposal {
  const insert = printPath({ kind: 'path', segments: name.split('.'), start: 0, end: 0 });
  return { label: name, kind: 'field', ...(insert === name ? {} : { insert }) };
}

/** Fields of attributes, as proposals. */
export function hintProposals(hints: readonly FieldHint[]): Proposal[] {
  return hints.map(({ name, type, info }) => ({
    ...named(name),
    ...(type ? { detail: type } : {}),
    ...(info ? { info } : {}),
  }));
}

function memberProposals(field: string, relation: Relation | undefined): Proposal[] {
  const [head = '', ...rest] = field.split('.');
  const value =
    relation?.columns.find((column) => column.name === field)?.value ??
    relation?.beside?.get(head)?.rows?.intrinsic(rest.join('.')) ??
    relation?.rows?.intrinsic(field.replace(/^(span|log|metric)\./, ''));
  return (value?.enumeration?.of.members ?? []).map((label) => ({ label, kind: 'value' }));
}

function wordProposals(keywords: readonly string[]): Proposal[] {
  return keywords.filter((word) => !SOURCE_KEYWORDS.includes(word)).map((label) => ({ label, kind: 'keyword' }));
}
