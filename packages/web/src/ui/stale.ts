import { ApiError } from '@fanion/contract';

/** A field that somebody else changed. Null means absent before or after. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A save that was refused because somebody else saved first, with what they changed. */
export class StaleError extends ApiError {
  readonly changes: readonly FieldChange[];
  constructor(cause: ApiError, changes: readonly FieldChange[]) {
    super({ code: cause.code, message: cause.message, status: cause.status });
    this.changes = changes;
  }
}

/**
 * Saves over a document that was read before. If another version is current by now, the error says what changed since.
 * @param base as it was read
 */
export async function saveOver<T>(base: object, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const state = stateOf(error);
    throw error instanceof ApiError && state !== undefined ? new StaleError(error, fieldChanges(base, state)) : error;
  }
}

/** The current state in the details of a 409. */
function stateOf(error: unknown): object | undefined {
  const details = error instanceof ApiError && error.status === 409 ? (error.details ?? []) : [];
  const state = details.find(({ path }) => path === 'version')?.state;
  return typeof state === 'object' && state !== null ? state : undefined;
}

/** Fields that change by themselves, or with every save. */
const FACTS = [
  ...['version', 'revision', 'flag_version', 'updated_at', 'updated_by', 'health', 'last_look', 'lag_seconds'],
  ...['watermark', 'missed', 'last_error', 'members', 'used_by', 'stale', 'environments', 'dependents'],
];
const LONGEST = 200;

/** The fields of a document that differ, in the order of the document. */
export function fieldChanges(before: object, after: object): FieldChange[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [before, after] = [text(old.get(field)), text(now.get(field))];
    return FACTS.includes(field) || before === after ? [] : [{ field, before: short(before), after: short(after) }];
  });
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function short(whole: string | null): string | null {
  return whole !== null && whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
}
