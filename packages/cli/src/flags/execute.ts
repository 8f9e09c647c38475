import {
  ApiError,
  createFlag,
  createSegment,
  removeSegment,
  setPrerequisites,
  setTargeting,
  updateFlag,
  updateSegment,
} from '@fanion/contract';
import type { Connection } from '../files/connect.ts';
import { without } from '../files/differences.ts';
import type { SegmentDocument } from './document.ts';
import type { Step } from './plan.ts';
import type { FlagPatch, Write } from './write.ts';

export type StepResult =
  | { readonly step: Step; readonly outcome: 'done' | 'waits' }
  | { readonly step: Step; readonly outcome: 'failed' | 'skipped' | 'stays'; readonly why: string };

type Run = Connection & {
  /** Versions of flags that it has written. */
  readonly versions: Map<string, number>;
};

/** Limit of a segment's keys in one request, as JSON: well below the body limit of the server. */
const MAX_KEYS_LENGTH = 4_000_000;

/**
 * Runs the steps in order. After a failure, skips the remaining steps of the same flag or segment and runs the others.
 *
 * @param comment appears in the history, with the step's digest appended
 */
export async function execute(
  connection: Connection,
  steps: readonly Step[],
  comment: string,
  onResult: (result: StepResult) => void,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const stopped = new Map<string, string>();
  const run: Run = { ...connection, versions: new Map() };

  for (const step of steps) {
    const subject = subjectOf(step.write);
    const why = stopped.get(subject);
    const result: StepResult =
      why !== undefined
        ? { step, outcome: 'skipped', why }
        : step.waiting
          ? { step, outcome: 'waits' }
          : await attempt(run, step, comment);
    if (result.outcome === 'failed') stopped.set(subject, 'an earlier step of it failed');
    // The flag itself must be written before its targeting.
    else if (result.outcome === 'waits' && step.write.kind === 'update_flag') {
      stopped.set(subject, 'an earlier step of it waits for approval');
    }
    results.push(result);
    onResult(result);
  }
  return results;
}

async function attempt(run: Run, step: Step, comment: string): Promise<StepResult> {
  try {
    const status = await perform(run, step.write, `${comment} [${step.digest}]`);
    return { step, outcome: status === 202 ? 'waits' : 'done' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // An archived flag can be restored, so what it names is in use.
    const stays = step.write.kind === 'remove_segment' && error.status === 409;
    if (stays) return { step, outcome: 'stays', why: error.message };
    const details = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`);
    return { step, outcome: 'failed', why: [error.message, ...details].join('; ') };
  }
}

async function perform(run: Run, write: Write, text: string): Promise<number> {
  const { client, scope, versions } = run;
  switch (write.kind) {
    case 'create_segment':
      return createInParts(run, write.segment, text);
    case 'update_segment':
      return updateInParts(run, write, text);
    case 'create_flag': {
      const { key, name = key, prerequisites: _, environments: __, ...common } = write.flag;
      const { data, status } = await client.call(createFlag, { params: scope, body: { key, name, ...common } });
      versions.set(key, data.version);
      return status;
    }
    case 'update_flag':
      return changeFlag(run, write.key, write.patch, write.version, text);
    case 'set_prerequisites': {
      const { key, prerequisites } = write;
      const version = versions.get(key) ?? write.version;
      const body = { prerequisites, version, comment: text };
      const { data, status } = await client.call(setPrerequisites, { params: { ...scope, key }, body });
      if (status === 200) versions.set(key, data.version);
      return status;
    }
    case 'set_targeting': {
      const { key, environment: e, targeting, version } = write;
      const body = { ...targeting, version, comment: text };
      return (await client.call(setTargeting, { params: { ...scope, e, key }, body })).status;
    }
    case 'archive_flag': {
      const body = { archived: true, version: write.version, comment: text };
      return (await client.call(updateFlag, { params: { ...scope, key: write.key }, body })).status;
    }
    case 'remove_segment':
      return (await client.call(removeSegment, { params: { ...scope, skey: write.key } })).status;
  }
}

async function changeFlag(
  { client, scope, versions }: Run,
  key: string,
  patch: FlagPatch,
  read: number,
  text: string,
): Promise<number> {
  const body = { ...patch, version: versions.get(key) ?? read, comment: text };
  const { data, status } = await client.call(updateFlag, { params: { ...scope, key }, body });
  if (status === 200) versions.set(key, data.version);
  return status;
}

async function createInParts(
  { client, scope }: Run,
  { included, excluded, key, name = key, ...rest }: SegmentDocument,
  text: string,
) {
  const [first = {}, ...more] = keyParts(included, excluded);
  const { data, status } = await client.call(createSegment, {
    params: scope,
    body: { key, name, ...rest, ...first },
  });
  let { version } = data;
  for (const add of more) {
    const body = { add, version, comment: text };
    version = (await client.call(updateSegment, { params: { ...scope, skey: key }, body })).data.version;
  }
  return status;
}

/** Sends the keys that were added and removed, not the whole lists, which may hold a million keys. */
async function updateInParts(
  { client, scope }: Run,
  write: Extract<Write, { kind: 'update_segment' }>,
  text: string,
): Promise<number> {
  const { before, segment } = write;
  const params = { ...scope, skey: segment.key };
  const adds = keyParts(without(segment.included, before.included), without(segment.excluded, before.excluded));
  const removes = keyParts(without(before.included, segment.included), without(before.excluded, segment.excluded));
  const { name, description, rules } = segment;
  const bodies = [
    { name, description, rules, ...(adds[0] && { add: adds[0] }), ...(removes[0] && { remove: removes[0] }) },
    ...removes.slice(1).map((remove) => ({ remove })),
    ...adds.slice(1).map((add) => ({ add })),
  ];
  let { version } = write;
  let status = 200;
  for (const body of bodies) {
    const answer = await client.call(updateSegment, { params, body: { ...body, version, comment: text } });
    status = answer.status;
    if (status === 202) return status;
    version = answer.data.version;
  }
  return status;
}

interface KeyLists {
  included?: string[];
  excluded?: string[];
}

/** Divides keys into requests below the size limit. */
function keyParts(included: readonly string[], excluded: readonly string[]): KeyLists[] {
  const parts: KeyLists[] = [];
  let length = 0;
  const put = (list: keyof KeyLists, key: string) => {
    const size = JSON.stringify(key).length + 1;
    let part = parts.at(-1);
    if (part === undefined || length + size > MAX_KEYS_LENGTH) {
      part = {};
      parts.push(part);
      length = 0;
    }
    length += size;
    part[list] ??= [];
    part[list]?.push(key);
  };
  for (const key of included) put('included', key);
  for (const key of excluded) put('excluded', key);
  return parts;
}

function subjectOf(write: Write): string {
  switch (write.kind) {
    case 'create_segment':
    case 'update_segment':
      return `segment ${write.segment.key}`;
    case 'remove_segment':
      return `segment ${write.key}`;
    case 'create_flag':
      return `flag ${write.flag.key}`;
    default:
      return `flag ${write.key}`;
  }
}
