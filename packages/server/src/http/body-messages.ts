import type { BodyLimit, ErrorDetail, ErrorName } from '@fanion/contract';
import type { JsonPart } from './json-parts.ts';

export interface BodyToRead {
  /** The id of the route that declares its form; undefined: any JSON. */
  readonly route: string | undefined;
  readonly bytes: Uint8Array;
  readonly limit: BodyLimit;
  /** The header `If-Match`, which names the version that the body replaces. */
  readonly ifMatch: string | undefined;
}

export type ToBodyWorker = BodyToRead & { readonly id: number };

export type FromBodyWorker = { readonly id: number; readonly milliseconds: number } & (
  | { readonly body: JsonPart }
  | { readonly problem: BodyProblem }
);

export type BodyProblem =
  | {
      readonly error: ErrorName;
      readonly parameters: Readonly<Record<string, string | number>>;
      readonly details: readonly ErrorDetail[] | undefined;
    }
  | { readonly defect: string };
