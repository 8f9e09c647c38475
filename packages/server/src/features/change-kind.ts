import type { Difference, FlagChange } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../http/caller.ts';
import type { Origin } from '../http/context.ts';
import { Failure } from '../platform/fail.ts';
import type { Executor } from '../platform/postgres/database.ts';

/*
 * Every change to what flags serve takes the same steps. It is prepared (read, checked, its effect computed). Then it
 * is either written, or stored until it is approved or due and prepared again then. Preparing writes nothing, so a
 * rejected change leaves no trace.
 */

export interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
}
/** The ids of a place, for a change that is applied without a request. */
export interface PlaceIds {
  readonly workspaceId: string;
  readonly projectId: string;
}

export interface EnvironmentRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly requires_approval: boolean;
}

/** The subject of a change, by keys. */
export interface Subject {
  readonly flag?: string;
  readonly segment?: string;
  readonly environmentId?: string;
}

/** Who is responsible for a write, and what caused it. */
export interface Authorship {
  readonly userId: string | null;
  readonly actor: Origin['actor'];
  readonly now: Date;
  readonly comment: string | null;
  /** The waiting change that this write applies, if any. */
  readonly changeId: string | null;
  /** True in a batch, which gives its rulesets one new version, at its end. */
  readonly rulesetsLater?: boolean;
}

/** A change that was checked, and its effect. */
export interface Plan<Result> {
  readonly flagId: string | null;
  readonly segmentId: string | null;
  readonly environmentId: string | null;
  readonly resource: { readonly type: string; readonly id: string; readonly name: string };
  /** Current version of what is changed. */
  readonly version: number;
  /** Environments whose answers change: the protected ones among them need approval. */
  readonly affects: readonly EnvironmentRow[];
  /** For the audit log. */
  readonly before: unknown;
  readonly after: unknown;
  readonly diff: readonly Difference[];
  /** Ids of the environments whose rulesets get a new version. */
  readonly rulesets: readonly string[];
  /** The result where the change alters nothing: it is not written then. */
  readonly unchanged?: Result | undefined;
}

export interface Prepared<Result> extends Plan<Result> {
  write(authorship: Authorship): Promise<Result>;
}

export interface ChangeKind<Payload, Result> {
  readonly kind: FlagChange['kind'];
  /** Whether it affects one environment or the whole project; the latter needs `flags:write` in all. */
  readonly reach: 'environment' | 'project';
  /**
   * Runs with the project locked. Throws the error of the input or the state; `STALE_VERSION` if `version` is given and
   * not current.
   */
  prepare(
    trx: Executor,
    place: PlaceIds,
    subject: Subject,
    payload: Payload,
    version: number | undefined,
  ): Promise<Prepared<Result>>;
}

/** One of several changes of a kind. */
export interface ChangeRequest<Payload> {
  readonly subject: Subject;
  readonly payload: Payload;
  readonly version?: number | undefined;
  /** The failure of this change, with its place among the others. */
  readonly located?: ((failure: Failure) => Failure) | undefined;
}

export interface PreparedMany<Result> {
  /** In the order of the requests. */
  readonly plans: readonly Plan<Result>[];
  /** Writes some of them, by their index. */
  write(chosen: readonly { readonly at: number; readonly authorship: Authorship }[]): Promise<Result[]>;
}

/** A kind whose changes of different subjects are read and written together: a statement costs more than a row. */
export interface BulkKind<Payload, Result> extends ChangeKind<Payload, Result> {
  prepareMany(
    trx: Executor,
    place: PlaceIds,
    requests: readonly ChangeRequest<Payload>[],
  ): Promise<PreparedMany<Result>>;
}

/** A kind that prepares one change as it prepares many. */
export function bulkKind<Payload, Result>(kind: Omit<BulkKind<Payload, Result>, 'prepare'>): BulkKind<Payload, Result> {
  return {
    ...kind,
    async prepare(trx, place, subject, payload, version) {
      const { plans, write } = await kind.prepareMany(trx, place, [{ subject, payload, version }]);
      return {
        ...only(plans),
        async write(authorship) {
          return only(await write([{ at: 0, authorship }]));
        },
      };
    },
  };
}

/** Runs a step of one of several changes; its failure names the change. */
export function locating<T>({ located }: Pick<ChangeRequest<unknown>, 'located'>, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof Failure && located !== undefined ? located(error) : error;
  }
}

export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('one item was expected');
  return item;
}

/** Any kind. Payloads are checked when they are submitted, and stored unchanged. */
export type AnyChangeKind = ChangeKind<never, unknown>;

export interface Submission<Payload, Result> {
  readonly place: Place;
  readonly caller: UserCaller;
  readonly origin: Origin;
  /** The action of the audit entry: the route's id. */
  readonly action: string;
  readonly kind: ChangeKind<Payload, Result>;
  readonly subject: Subject;
  readonly payload: Payload;
  readonly version?: number | undefined;
  readonly comment?: string | undefined;
  readonly bypassApproval?: boolean | undefined;
  /** When to apply it. */
  readonly applyAt?: Date | undefined;
  /** Asks for a review even if none is required. */
  readonly askForReview?: boolean | undefined;
}

export type Submitted<Result> =
  | { readonly status: 'applied'; readonly result: Result }
  | { readonly status: 'waiting'; readonly change: FlagChange };

export type LocatedSubmission<Payload, Result> = Omit<Submission<Payload, Result>, 'kind'> &
  Pick<ChangeRequest<Payload>, 'located'>;

/** Who submits, and where. */
export type Submitter = Pick<Submission<unknown, unknown>, 'place' | 'caller' | 'bypassApproval'>;

/** Several writes in one transaction, with the project locked. */
export interface Batch {
  readonly trx: Executor;
  readonly now: Date;
  submit<Payload, Result>(submission: Submission<Payload, Result>): Promise<Submitted<Result>>;
  /** Submits changes of one kind, each of another subject. */
  submitMany<Payload, Result>(
    kind: BulkKind<Payload, Result>,
    submissions: readonly LocatedSubmission<Payload, Result>[],
  ): Promise<Submitted<Result>[]>;
  /** Its rulesets get one new version, at its end. */
  readonly rulesetsLater: boolean;
  /** Reports environments whose rulesets changed by a write of another kind. */
  changed(environmentIds: readonly string[]): void;
}

/** Submits changes. `features/flags/changes` implements it. */
export interface Changes {
  submit<Payload, Result>(submission: Submission<Payload, Result>): Promise<Submitted<Result>>;
  /** Everything that `work` writes takes effect at once, or nothing does. Needs `flags:write` in the whole project. */
  together<T>(submitter: Submitter, work: (batch: Batch) => Promise<T>): Promise<T>;
  /** A change that was submitted and still waits; undefined: it was applied, rejected, cancelled, or failed. */
  findWaiting(projectId: string, id: string): Promise<FlagChange | undefined>;
}
