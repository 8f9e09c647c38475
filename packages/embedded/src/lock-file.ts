import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** The owner, as stored in a lock file. */
export interface LockOwner extends ProcessIdentity {
  /** The process that started the owner, if the owner works only for it. */
  parent?: ProcessIdentity;
}

export interface LockFile {
  /** Releases the lock, unless another process holds it by now. Safe to call twice. */
  release(): void;
}

/** Another live process holds the lock. */
export class LockedError extends Error {
  readonly owner: LockOwner;
  constructor(path: string, owner: LockOwner) {
    super(`${path} is held by process ${owner.pid}`);
    this.owner = owner;
  }
}

/**
 * Takes the lock at `path`, replacing one whose owner has died (kill -9) or belongs to an earlier boot.
 * @throws LockedError if its owner is alive.
 */
export function acquireLockFile(path: string, parent?: ProcessIdentity): LockFile {
  const self: LockOwner = { ...ownIdentity(), ...(parent ? { parent } : {}) };
  const text = JSON.stringify(self);
  exclusively(`${path}.claim`, () => {
    const owner = readOwner(path);
    if (owner && isAlive(owner)) throw new LockedError(path, owner);
    // Written elsewhere and then linked, so that nobody reads a partial lock file.
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

/** The owner that a lock file names, alive or not; undefined if there is no lock. */
export function readOwner(path: string): LockOwner | undefined {
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
    return undefined; // torn by a power loss: its writer has ended
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

/** A claim is held for microseconds; an older one was left by a process that died. */
const ABANDONED_CLAIM_MS = 5_000;

/** Runs `action` while no other process runs `exclusively` with the same directory name. */
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
