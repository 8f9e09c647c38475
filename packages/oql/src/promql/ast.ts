/** What has no equal in OQL, in words for the owner of a query. */
export class NoEqual extends Error {
  override readonly name = 'NoEqual';
}

export interface Matcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface Selector {
  readonly kind: 'selector';
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  readonly offsetSeconds: number;
  /** `[5m]`; absent for an instant vector. */
  readonly rangeSeconds?: number;
}

export interface Grouping {
  readonly mode: 'by' | 'without';
  readonly labels: readonly string[];
}

export interface Matching {
  readonly mode: 'on' | 'ignoring';
  readonly labels: readonly string[];
  readonly group?: { readonly side: 'left' | 'right'; readonly include: readonly string[] };
}

/** A PromQL expression, as far as OQL may have an equal of it. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | Selector
  | { readonly kind: 'call'; readonly fn: string; readonly args: readonly Expression[] }
  | {
      readonly kind: 'aggregate';
      readonly op: string;
      readonly grouping: Grouping;
      readonly args: readonly Expression[];
    }
  | {
      readonly kind: 'binary';
      readonly op: string;
      readonly bool: boolean;
      readonly matching?: Matching;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'negative'; readonly of: Expression };
