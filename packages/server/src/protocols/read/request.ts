import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../http/caller.ts';

/** Whose telemetry a request reads. */
export interface Place {
  readonly workspace: WorkspaceRef;
  readonly narrowed: { readonly project: ProjectRef | undefined; readonly environment: string | undefined };
  readonly caller: UserCaller;
  readonly signal: AbortSignal;
}

/** A request of a client of another product. */
export interface ForeignRequest extends Place {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function placeOf({ workspace, narrowed, caller, signal }: Place): Place {
  return { workspace, narrowed, caller, signal };
}

/** Parameters of a request: those of the address, and those of a form before them. */
export interface Parameters {
  /** The first value under any of these names; undefined: missing or empty. */
  one(...names: readonly string[]): string | undefined;
  all(name: string): readonly string[];
}

export function parametersOf(query: Readonly<Record<string, unknown>>, body?: unknown): Parameters {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const inAddress = (name: string): string[] => {
    const value = query[name];
    return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  };
  const all = (name: string) => [...form.getAll(name), ...inAddress(name)];
  return { all, one: (...names) => names.flatMap(all).find((value) => value !== '') };
}
