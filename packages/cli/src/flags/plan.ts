import { createHash } from 'node:crypto';
import { segmentsNamed } from '@fanion/flag-engine';
import { differences, same, stable } from './differences.ts';
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
  /** Stands in the comment of the write, so that a change that waits for approval is known again. */
  readonly digest: string;
  /** The same change waits for approval already. */
  readonly waiting: boolean;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** What cannot be done; nothing is written while there are any. */
  readonly problems: readonly string[];
}

/**
 * What is to be written so that the project has what the documents say. Flags, segments and environments that they do
 * not name are left alone, unless `prune` is set: then flags are archived and segments deleted, last of all. The order is the one in which each write is valid: segments, flags, what they require, and
 * then what they serve, so that nothing is served before its prerequisites hold.
 */
export function plan(desired: FlagSet, remote: RemoteState, { prune = false } = {}): Plan {
  const missing = missingParts(desired, remote);
  if (missing.length > 0) return { steps: [], problems: missing };
  const flags = desired.flags.map((flag) => flagWrites(flag, remote));
  const writes = [
    ...segmentWrites(desired.segments, remote),
    ...flags.flatMap(({ common }) => common),
    // Where a dependency turns round, taking the old one away first keeps it from being a cycle in between.
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
    // A name that is left out stays; lists of keys are sets.
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

/** A segment after those that its rules name; of a cycle, which the server refuses, in the order given. */
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
  /** Nothing is required that was not before. */
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
      // Null is an answer, the code default; left out is none.
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

/** Fields of a flag that can change; what a document leaves out stays. */
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
/** What a document that does not say otherwise means by them. */
const USUAL = { metadata: {}, client_visible: true };

/** A variant that goes away is first served no more, and so is taken away at the end. */
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
 * Rules that were written without an id take over the id of the rule that they are the new form of, so that nobody
 * changes bucket: a rule that is the same but for the id, else the one at the same place.
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
      return `- flag ${write.key}, to the archive`;
    case 'remove_segment':
      return `- segment ${write.key}`;
  }
}
