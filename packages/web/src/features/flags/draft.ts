import type { getTargeting, RouteBodyInput, RouteResponse, setTargeting } from '@fanion/contract';
import type { Weight } from './weights.ts';

export type Targeting = RouteResponse<typeof getTargeting>;
/** The editable part of a targeting; the rest (versions, a ramp) belongs to the server. */
export type EditableTargeting = Pick<Targeting, 'enabled' | 'off_variant' | 'fallthrough' | 'targets' | 'rules'>;
export type TargetingBody = RouteBodyInput<typeof setTargeting>;

/** A change of a flag in an environment, before it is saved. */
export interface Proposal {
  flag: string;
  environment: string;
  proposed: TargetingBody;
}
export type Scalar = string | number | boolean;

type RolloutOutput = NonNullable<Targeting['fallthrough']['rollout']>;
/** Split settings without a field here. An empty seed is one: it comes from other products, people do not type it. */
export type KeptRollout = Omit<RolloutOutput, 'weights' | 'bucket_by'>;
export type Share = NonNullable<Targeting['rules'][number]['shares']>[number];

export type ReadAs = NonNullable<Targeting['rules'][number]['clauses'][number]['as']>;

export type Serve =
  /** `variant` null is the code default: no variant is served, and the caller's default applies. */
  | { kind: 'variant'; variant: string | null }
  | { kind: 'split'; weights: Weight[]; bucketBy: string; seed: string; kept?: KeptRollout };

/** `uid` identifies a draft on the page and is never sent. */
export interface ClauseDraft {
  uid: string;
  attribute: string;
  op: string;
  values: Scalar[];
  negate: boolean;
  ignoreCase?: boolean;
  as?: ReadAs;
  contextKind?: string;
  /** The type of the values while there are none. */
  emptyKind?: 'text' | 'number' | 'boolean';
}

export interface RuleDraft {
  uid: string;
  /** The server's id; undefined for a new rule. */
  id: string | undefined;
  description: string;
  clauses: ClauseDraft[];
  shares?: readonly Share[];
  serve: Serve;
}

export interface TargetDraft {
  uid: string;
  variant: string;
  attribute: string;
  contextKind?: string;
  values: string[];
}

/** One environment's targeting during editing. */
export interface Draft {
  enabled: boolean;
  /** Null: the code default. */
  offVariant: string | null;
  fallthrough: Serve;
  targets: TargetDraft[];
  rules: RuleDraft[];
}

let lastUid = 0;
export function uid(): string {
  lastUid += 1;
  return `d${lastUid}`;
}

type ServeFields = Pick<Targeting['rules'][number], 'variant' | 'rollout'>;

function toServe({ variant, rollout }: ServeFields): Serve {
  if (rollout) {
    const { weights, bucket_by = '', seed, ...rest } = rollout;
    const kept = { ...rest, ...(seed === '' && { seed }) };
    return {
      kind: 'split',
      weights: weights.map((weight) => ({ ...weight })),
      bucketBy: bucket_by,
      seed: seed ?? '',
      ...(Object.keys(kept).length > 0 && { kept }),
    };
  }
  return { kind: 'variant', variant: variant === undefined ? '' : variant };
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Converts the server's targeting to a draft. */
export function toDraft(targeting: EditableTargeting): Draft {
  return {
    enabled: targeting.enabled,
    offVariant: targeting.off_variant,
    fallthrough: toServe(targeting.fallthrough),
    targets: targeting.targets.map((target) => ({
      uid: uid(),
      variant: target.variant,
      attribute: target.attribute ?? '',
      ...(target.context_kind !== undefined && { contextKind: target.context_kind }),
      values: [...target.values],
    })),
    rules: targeting.rules.map((rule) => ({
      uid: uid(),
      id: rule.id,
      description: rule.description ?? '',
      clauses: rule.clauses.map(toClauseDraft),
      ...(rule.shares !== undefined && { shares: rule.shares }),
      serve: toServe(rule),
    })),
  };
}

/** Converts a clause from the server, of a rule or a segment. */
export function toClauseDraft(clause: Targeting['rules'][number]['clauses'][number]): ClauseDraft {
  return {
    uid: uid(),
    attribute: clause.attribute ?? '',
    op: clause.op,
    values: clause.values.filter(isScalar),
    negate: clause.negate,
    ...(clause.ignore_case === true && { ignoreCase: true }),
    ...(clause.as !== undefined && { as: clause.as }),
    ...(clause.context_kind !== undefined && { contextKind: clause.context_kind }),
  };
}

/** Converts a serve to its body form. */
export function fromServe(serve: Serve) {
  if (serve.kind === 'variant') return { variant: serve.variant };
  return {
    rollout: {
      ...serve.kept,
      weights: serve.weights,
      ...(serve.bucketBy.trim() !== '' && { bucket_by: serve.bucketBy.trim() }),
      ...(serve.seed.trim() !== '' && { seed: serve.seed.trim() }),
    },
  };
}

type ClauseBody = NonNullable<TargetingBody['rules']>[number]['clauses'][number];

/** Converts a clause to its body form, for a rule or a segment. */
export function toClauseBody(clause: ClauseDraft): ClauseBody {
  return {
    ...(clause.op !== 'in_segment' && { attribute: clause.attribute.trim() }),
    op: clause.op as ClauseBody['op'],
    values: clause.op === 'exists' ? [] : clause.values,
    negate: clause.negate,
    ...(clause.ignoreCase === true && { ignore_case: true }),
    ...(clause.as !== undefined && { as: clause.as }),
    ...kindBody(clause.contextKind),
  };
}

function kindBody(kind: string | undefined) {
  return kind === undefined || kind.trim() === '' ? {} : { context_kind: kind.trim() };
}

/** Copies shares for the body: the server's lists are read-only here, the body's are not. */
export function toSharesBody(shares: readonly Share[] | undefined) {
  if (shares === undefined || shares.length === 0) return {};
  return {
    shares: shares.map((share) => ({
      ...share,
      ranges: share.ranges.map(([from, to]): [number, number] => [from, to]),
    })),
  };
}

/** What a write would set, for routes that only look at it. */
export function proposedTargeting({ enabled, off_variant, fallthrough, targets = [], rules = [] }: TargetingBody) {
  return { enabled, off_variant, fallthrough, targets, rules };
}

/** The body of the PUT, without page-only fields and empty targets. */
export function toBody(draft: Draft, version: number, comment = ''): TargetingBody {
  return {
    enabled: draft.enabled,
    off_variant: draft.offVariant,
    fallthrough: fromServe(draft.fallthrough),
    targets: draft.targets
      .filter((target) => target.values.length > 0)
      .map((target) => ({
        variant: target.variant,
        values: target.values,
        ...(target.attribute.trim() !== '' && { attribute: target.attribute.trim() }),
        ...kindBody(target.contextKind),
      })),
    rules: draft.rules.map((rule) => ({
      ...(rule.id !== undefined && { id: rule.id }),
      ...(rule.description.trim() !== '' && { description: rule.description.trim() }),
      clauses: rule.clauses.map(toClauseBody),
      ...toSharesBody(rule.shares),
      ...fromServe(rule.serve),
    })),
    version,
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  };
}

/** Whether two drafts produce the same body. */
export function sameDraft(a: Draft, b: Draft): boolean {
  return JSON.stringify(toBody(a, 0)) === JSON.stringify(toBody(b, 0));
}
