import { createHash } from 'node:crypto';
import { segmentsNamed } from '@fanion/flag-engine';
import { differences, same, stable } from '../files/differences.ts';
import {
  type EnvironmentDocument,
  type FlagDocument,
  type FlagSet,
  initialEnvironment,
  namedVariants,
  type RuleDocument,
  type SegmentDocument,
} from './document.ts';
import { missingParts, refusedWrites } from './problems.ts';
import { pruneWrites } from './prune.ts';
import type { RemoteState } from './remote.ts';
import type { FlagPatch, Planned, Write } from './write.ts';

export interface Step {
  readonly write: Write;
  readonly title: string;
  /** For people. */
  readonly lines: readonly string[];
  /** Part of the write's comment, which identifies a change that waits for approval. */
  readonly digest: string;
  /** The same change already waits for approval. */
  readonly waiting: boolean;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** What cannot be done; while there are problems, nothing is written. */
  readonly problems: readonly string[];
}

/**
 * The writes that bring the project in line with the documents. Flags, segments and environments that the documents do
 * not name stay unchanged, unless `prune` is set: then flags are archived and segments deleted, last of all. In this order
 * each write is valid: segments, flags, prerequisites, then targeting, so that nothing is served before its
 * prerequisites hold.
 */
export function plan(desired: FlagSet, remote: RemoteState, { prune = false } = {}): Plan {
  const missing = missingParts(desired, remote);
  if (missing.length > 0) return { steps: [], problems: missing };
  const flags = desired.flags.map((flag) => flagWrites(flag, remote));
  const writes = [
    ...segmentWrites(desired.segments, remote),
    ...flags.flatMap(({ common }) => common),
    // When a dependency changes direction, removing the old one first avoids a temporary cycle.
    ...flags.filter(({ requiresLess }) => requiresLess).flatMap(({ prerequisites }) => prerequisites),
    ...flags.filter(({ requiresLess }) => !requiresLess).flatMap(({ prerequisites }) => prerequisites),
    ...flags.flatMap(({ targeting }) => targeting),
    ...flags.flatMap(({ last }) => last),
    ...(prune ? pruneWrites(desired, remote) : []),
  ];
  const problems = refusedWrites(
    writes.map(({ write }) => write),
    desired,
    remote,
  );
  if (problems.length > 0) return { steps: [], problems };
  return { steps: writes.map(({ write, lines }) => stepOf(write, lines, remote)), problems };
}

function segmentWrites(segments: readonly SegmentDocument[], remote: RemoteState): Planned[] {
  const creates: SegmentDocument[] = [];
  const updates: Planned[] = [];
  for (const segment of segments) {
    const there = remote.segments.get(segment.key);
    if (there === undefined) {
      creates.push(segment);
      continue;
    }
    const before = there.document;
    // An absent name keeps its value; lists of keys are sets.
    const after = { ...segment, name: segment.name ?? before.name };
    const lines = differences(sorted(before), sorted(after));
    if (lines.length > 0) {
      updates.push({ write: { kind: 'update_segment', before, segment: after, version: there.version }, lines });
    }
  }
  const planned = dependenciesFirst(creates).map(
    (segment): Planned => ({ write: { kind: 'create_segment', segment }, lines: sizes(segment) }),
  );
  return [...planned, ...updates];
}

function sorted(segment: SegmentDocument) {
  const { included, excluded } = segment;
  return { ...segment, included: [...included].sort(), excluded: [...excluded].sort() };
}

function sizes({ included, excluded, rules }: SegmentDocument): string[] {
  return [`${included.length} included, ${excluded.length} excluded, ${rules.length} rules`];
}

/** Puts a segment after those that its rules name; a cycle, which the server rejects, stays in the order given. */
function dependenciesFirst(segments: readonly SegmentDocument[]): SegmentDocument[] {
  const byKey = new Map(segments.map((segment) => [segment.key, segment]));
  const ordered = new Set<SegmentDocument>();
  const visiting = new Set<SegmentDocument>();
  const visit = (segment: SegmentDocument) => {
    if (visiting.has(segment)) return;
    visiting.add(segment);
    for (const key of segmentsNamed(segment.rules)) {
      const other = byKey.get(key);
      if (other !== undefined) visit(other);
    }
    ordered.add(segment);
  };
  for (const segment of segments) visit(segment);
  return [...ordered];
}

interface FlagWrites {
  readonly common: readonly Planned[];
  /** Whether no prerequisite is new. */
  readonly requiresLess: boolean;
  readonly prerequisites: readonly Planned[];
  readonly targeting: readonly Planned[];
  readonly last: readonly Planned[];
}

function flagWrites(flag: FlagDocument, remote: RemoteState): FlagWrites {
  const there = remote.flags.get(flag.key);
  const before = there?.document;
  const { common, last } = before === undefined ? creation(flag) : commonWrites(flag, before, there?.version ?? 0);
  const required = differences(before?.prerequisites ?? [], flag.prerequisites, 'prerequisites');
  const version = there?.version;
  const { key, prerequisites } = flag;
  return {
    common,
    last,
    requiresLess: prerequisites.every((required) => before?.prerequisites.some((each) => same(each, required))),
    prerequisites:
      required.length === 0
        ? []
        : [{ write: { kind: 'set_prerequisites', key, prerequisites, version }, lines: required }],
    targeting: Object.entries(flag.environments).flatMap(([environment, document]) => {
      const now = before?.environments[environment] ?? initialEnvironment(flag);
      // Null means the code default; absent means no value.
      const ofFlag = before === undefined ? namedVariants(flag).off_variant : offOf(flag, before);
      const off_variant = document.off_variant === undefined ? ofFlag : document.off_variant;
      const targeting = { ...document, off_variant, rules: withKnownIds(document.rules, now.rules) };
      const lines = differences(canonical(now), canonical(targeting));
      const write: Write = {
        kind: 'set_targeting',
        key,
        environment,
        targeting,
        version: there?.versions[environment] ?? 0,
      };
      return lines.length === 0 ? [] : [{ write, lines }];
    }),
  };
}

function offOf(flag: FlagDocument, before: FlagDocument): string | null {
  return flag.off_variant === undefined ? namedVariants(before).off_variant : flag.off_variant;
}

function creation(flag: FlagDocument): { common: Planned[]; last: Planned[] } {
  const lines = [`${flag.kind}, variants ${flag.variants.map(({ key }) => key).join(', ')}`];
  return { common: [{ write: { kind: 'create_flag', flag }, lines }], last: [] };
}

/** Fields of a flag that can change; a field that is absent from the document keeps its value. */
const FIELDS = [
  'name',
  'description',
  'variants',
  'default_variant',
  'off_variant',
  'tags',
  'temporary',
  'metadata',
  'client_visible',
] as const;
/** Their default values in a document. */
const USUAL = { metadata: {}, client_visible: true };

/** Removes variants at the end, when nothing serves them any more. */
function commonWrites(
  flag: FlagDocument,
  known: FlagDocument,
  version: number,
): { common: Planned[]; last: Planned[] } {
  const before = { ...USUAL, ...known };
  const wanted = Object.fromEntries(
    FIELDS.flatMap((field) => (flag[field] === undefined ? [] : [[field, flag[field]]])),
  );
  const patch = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => !same(value, Reflect.get(before, field))),
  ) as FlagPatch;
  if (Object.keys(patch).length === 0) return { common: [], last: [] };
  const lines = Object.keys(patch).flatMap((field) =>
    differences(Reflect.get(before, field), Reflect.get(patch, field), field),
  );
  const { key } = flag;
  const stays = new Set(flag.variants.map((variant) => variant.key));
  const gone = before.variants.filter((variant) => !stays.has(variant.key));
  if (gone.length === 0) return { common: [{ write: { kind: 'update_flag', key, patch, version }, lines }], last: [] };
  const first = { ...patch, variants: [...flag.variants, ...gone] };
  const last: Planned = {
    write: { kind: 'update_flag', key, patch: { variants: flag.variants }, version },
    lines: [`variants: − ${gone.map((variant) => variant.key).join(', ')}`],
  };
  const isNothing = same({ ...before, ...first }, before);
  return {
    common: isNothing ? [] : [{ write: { kind: 'update_flag', key, patch: first, version }, lines }],
    last: [last],
  };
}

/**
 * Rules without an id take the id of the rule that they replace, so that nobody changes bucket: a rule that differs only
 * in its id, else the rule at the same place.
 */
export function withKnownIds(rules: readonly RuleDocument[], now: readonly RuleDocument[]): RuleDocument[] {
  const free = new Map(now.flatMap((rule) => (rule.id === undefined ? [] : [[rule.id, rule]])));
  for (const { id } of rules) if (id !== undefined) free.delete(id);
  const ids = rules.map((rule) => {
    if (rule.id !== undefined) return rule.id;
    const bare = canonicalRule(rule);
    for (const [id, candidate] of free) {
      if (!same(bare, { ...canonicalRule(candidate), id: undefined })) continue;
      free.delete(id);
      return id;
    }
    return undefined;
  });
  return rules.map((rule, i) => {
    const id = ids[i] ?? now[i]?.id;
    if (id === undefined) return rule;
    const isFree = ids[i] !== undefined || free.delete(id);
    return isFree ? { ...rule, id } : rule;
  });
}

/** The form in which two configurations are compared. */
function canonical({ enabled, off_variant, fallthrough, targets, rules }: EnvironmentDocument) {
  return { enabled, off_variant, fallthrough, targets, rules: rules.map(canonicalRule) };
}

function canonicalRule(rule: RuleDocument): RuleDocument {
  return { ...rule, description: rule.description === '' ? undefined : rule.description };
}

function stepOf(write: Write, lines: readonly string[], remote: RemoteState): Step {
  const { version: _, ...content } = { version: 0, ...write };
  const digest = createHash('sha256').update(stable(content)).digest('hex').slice(0, 12);
  const waiting = remote.pending.some((comment) => comment.includes(`[${digest}]`));
  return { write, title: titleOf(write), lines, digest, waiting };
}

function titleOf(write: Write): string {
  switch (write.kind) {
    case 'create_segment':
      return `+ segment ${write.segment.key}`;
    case 'update_segment':
      return `~ segment ${write.segment.key}`;
    case 'create_flag':
      return `+ flag ${write.flag.key}`;
    case 'update_flag':
      return `~ flag ${write.key}`;
    case 'set_prerequisites':
      return `~ flag ${write.key}, prerequisites`;
    case 'set_targeting':
      return `~ flag ${write.key} in ${write.environment}`;
    case 'archive_flag':
      return `- flag ${write.key}, archived`;
    case 'remove_segment':
      return `- segment ${write.key}`;
  }
}
