import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** What a lock file tells of its owner. */
export interface LockOwner extends ProcessIdentity {
  /** Who started the owner, where the owner only lives on its behalf. */
  parent?: ProcessIdentity;
}

export interface LockFile {
  /** Gives the lock up, unless somebody else holds it by now. Safe to call twice. */
  release(): void;
}

/** Another living process holds the lock. */
export class LockedError extends Error {
  readonly owner: LockOwner;
  constructor(path: string, owner: LockOwner) {
    super(`${path} is held by process ${owner.pid}`);
    this.owner = owner;
  }
}

/**
 * Takes the lock at `path`, replacing one whose owner has died (kill -9) or belongs to an earlier boot.
 * @throws LockedError when its owner lives.
 */
export function acquireLockFile(path: string, parent?: ProcessIdentity): LockFile {
  const self: LockOwner = { ...ownIdentity(), ...(parent ? { parent } : {}) };
  const text = JSON.stringify(self);
  exclusively(`${path}.claim`, () => {
    const owner = readOwner(path);
    if (owner && isAlive(owner)) throw new LockedError(path, owner);
    // Written aside and then linked, so that nobody ever reads half a lock file.
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text, { mode: 0o600 });
    rmSync(path, { force: true });
    linkSync(draft, path);
    rmSync(draft);
  });
  return {
    release() {
      const owner = readOwner(path);
      if (owner && owner.pid === self.pid && owner.started === self.started) rmSync(path, { force: true });
    },
  };
}

function readOwner(path: string): LockOwner | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const owner: unknown = JSON.parse(text);
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined; // torn by a power loss: whoever wrote it is gone
  }
}

function isOwner(value: unknown): value is LockOwner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    'boot' in value
  );
}

/** A claim is held for microseconds; one this old was left by a process that died inside of it. */
const ABANDONED_CLAIM_MS = 5_000;

/** Runs `action` while no other process is inside of `exclusively` with the same directory name. */
function exclusively(claim: string, action: () => void): void {
  for (;;) {
    try {
      mkdirSync(claim);
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (ageOf(claim) > ABANDONED_CLAIM_MS) removeClaim(claim);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  try {
    action();
  } finally {
    removeClaim(claim);
  }
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function removeClaim(claim: string): void {
  try {
    rmdirSync(claim);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
