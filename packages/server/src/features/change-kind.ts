import type { Difference, FlagChange } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../http/caller.ts';
import type { Origin } from '../http/context.ts';
import type { Executor } from '../platform/postgres/database.ts';

/*
 * Every change of what flags serve goes the same way: prepare (look, check, say what it would do), then either write, or be
 * kept until somebody approves it or its time comes, and be prepared once more then. Prepared changes write nothing
 * before `write`, so one that is refused leaves no trace.
 */

export interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
}
/** As much of a place as a change needs that nobody asks for at the moment. */
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

/** What a change is of, by keys. */
export interface Subject {
  readonly flag?: string;
  readonly segment?: string;
  readonly environmentId?: string;
}

/** Who is answerable for a write, and how it came about. */
export interface Authorship {
  readonly userId: string | null;
  readonly actor: Origin['actor'];
  readonly now: Date;
  readonly comment: string | null;
  /** The change that waited, where there was one. */
  readonly changeId: string | null;
  /** A batch gives its rulesets one new version, at its end. */
  readonly rulesetsLater?: boolean;
}

export interface Prepared<Result> {
  readonly flagId: string | null;
  readonly segmentId: string | null;
  readonly environmentId: string | null;
  readonly resource: { readonly type: string; readonly id: string; readonly name: string };
  /** Version of what is changed, as it is now. */
  readonly version: number;
  /** Environments that serve something else afterwards: those of them that are protected have to approve. */
  readonly affects: readonly EnvironmentRow[];
  /** For the audit log. */
  readonly before: unknown;
  readonly after: unknown;
  readonly diff: readonly Difference[];
  /** Ids of the environments whose rulesets get a new version. */
  readonly rulesets: readonly string[];
  write(authorship: Authorship): Promise<Result>;
}

export interface ChangeKind<Payload, Result> {
  readonly kind: FlagChange['kind'];
  /** Whether it reaches one environment, or all of the project: then `flags:write` is needed in all. */
  readonly reach: 'environment' | 'project';
  /**
   * Runs with the project locked. Throws what the input or the state deserves; `STALE_VERSION` where `version` is given
   * and another one is current.
   */
  prepare(
    trx: Executor,
    place: PlaceIds,
    subject: Subject,
    payload: Payload,
    version: number | undefined,
  ): Promise<Prepared<Result>>;
}

/** Any of the kinds: their payloads were checked when they were submitted, and are stored as they were. */
export type AnyChangeKind = ChangeKind<never, unknown>;

export interface Submission<Payload, Result> {
  readonly place: Place;
  readonly caller: UserCaller;
  readonly origin: Origin;
  /** Of the audit entry: the route's id. */
  readonly action: string;
  readonly kind: ChangeKind<Payload, Result>;
  readonly subject: Subject;
  readonly payload: Payload;
  readonly version?: number | undefined;
  readonly comment?: string | undefined;
  readonly bypassApproval?: boolean | undefined;
  /** When to apply it. */
  readonly applyAt?: Date | undefined;
  /** Let somebody look at it though nothing requires that. */
  readonly askForReview?: boolean | undefined;
}

export type Submitted<Result> =
  | { readonly status: 'applied'; readonly result: Result }
  | { readonly status: 'waiting'; readonly change: FlagChange };

/** Who submits, and where. */
export type Submitter = Pick<Submission<unknown, unknown>, 'place' | 'caller' | 'bypassApproval'>;

/** Several writes in one transaction, with the project locked. */
export interface Batch {
  readonly trx: Executor;
  readonly now: Date;
  submit<Payload, Result>(submission: Submission<Payload, Result>): Promise<Submitted<Result>>;
  /** Its rulesets get one new version, at its end. */
  readonly rulesetsLater: boolean;
  /** Tells of environments whose rulesets a write of another kind has changed. */
  changed(environmentIds: readonly string[]): void;
}

/** Takes changes in: `features/flags/changes` implements it. */
export interface Changes {
  submit<Payload, Result>(submission: Submission<Payload, Result>): Promise<Submitted<Result>>;
  /** All that `work` writes takes effect at once, or nothing does. It needs `flags:write` in the whole project. */
  together<T>(submitter: Submitter, work: (batch: Batch) => Promise<T>): Promise<T>;
}
