import type { ClauseDraft, RuleDraft, Scalar, Serve, Share } from './draft.ts';
import { operatorInfo } from './operators.ts';
import { percentText } from './weights.ts';

const MAX_LISTED = 6;

/** `true`, or `30% true, 70% false by company`. */
export function describeServe(serve: Serve): string {
  if (serve.kind === 'variant') return servedText(serve.variant);
  const shares = serve.weights
    .filter(({ weight }) => weight > 0)
    .map(({ variant, weight }) => `${percentText(weight)}% ${variant}`)
    .join(', ');
  const { hash, buckets, missing, fallback_bucket_by: others = [] } = serve.kept ?? {};
  const kind = serve.kept?.context_kind;
  const named = serve.bucketBy || (others.length > 0 ? 'targetingKey' : '');
  const by = [kind === undefined ? named : `${kind}${named === '' ? '' : ` ${named}`}`, ...others].filter(
    (name) => name !== '',
  );
  return [
    `${shares}${by.length === 0 ? '' : ` by ${by.join(', else ')}`}`,
    ...(serve.seed === '' ? [] : [`seed ${serve.seed}`]),
    ...(hash === undefined || hash === 'fanion' ? [] : [`hash ${hash}`]),
    ...(buckets === undefined ? [] : [`${buckets} buckets`]),
    ...(missing === 'skip' ? ['skips contexts without a unit'] : []),
  ].join(', ');
}

/** Whom a rule matches: its clauses, and the percentage of units that its shares admit. */
export function describeWhom({ clauses, shares }: Pick<RuleDraft, 'clauses' | 'shares'>): string {
  const part = describeShares(shares);
  return `${describeClauses(clauses)}${part === '' ? '' : `, ${part}`}`;
}

/** `only 20% of units (seed pilot)`; empty without shares. */
export function describeShares(shares: readonly Share[] = []): string {
  return shares
    .map(({ ranges, seed, bucket_by, hash = 'fanion' }) => {
      const percent = percentText(ranges.reduce((sum, [from, to]) => sum + to - from, 0));
      const how = [...(hash === 'fanion' ? [] : [`hash ${hash}`]), ...(seed === '' ? [] : [`seed ${seed}`])].join(', ');
      return `only ${percent}% of units${bucket_by === undefined ? '' : ` by ${bucket_by}`}${how === '' ? '' : ` (${how})`}`;
    })
    .join(' and ');
}

/** The variant, or `the code default` if the flag serves none. */
export function servedText(variant: string | null): string {
  return variant ?? 'the code default';
}

/** `country is one of DE, AT`. */
export function describeClause({
  attribute,
  op,
  values,
  negate,
  as,
  ignoreCase,
  contextKind,
}: Omit<ClauseDraft, 'uid'>): string {
  const info = operatorInfo(op);
  const whose = contextKind === undefined ? '' : `${contextKind} `;
  const read = as === undefined ? '' : ` as ${as}`;
  const subject = op === 'in_segment' ? 'the unit ' : `${whose}${attribute || '…'}${read} `;
  const ignoring = ignoreCase === true ? ' (ignoring case)' : '';
  return `${subject}${negate ? info.negated : info.label}${info.values === 'none' ? '' : ` ${listValues(values)}`}${ignoring}`;
}

/** `everybody`, or the clauses joined by `and`. */
export function describeClauses(clauses: readonly ClauseDraft[]): string {
  return clauses.length === 0 ? 'everybody' : clauses.map(describeClause).join(' and ');
}

/** Comma-separated values, with the rest counted. Text that looks like a number or boolean is quoted. */
export function listValues(values: readonly Scalar[]): string {
  const shown = values
    .slice(0, MAX_LISTED)
    .map((value) =>
      typeof value === 'string' && /^(true|false|-?\d+(\.\d+)?)$/.test(value) ? `"${value}"` : String(value),
    );
  const rest = values.length - shown.length;
  return (shown.join(', ') || '…') + (rest > 0 ? ` and ${rest} more` : '');
}
