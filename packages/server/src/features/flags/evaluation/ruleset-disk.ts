import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ruleset } from '@fanion/flag-engine';
import type { Log } from '../../../platform/log.ts';
import { rulesetPieces } from './ruleset-json.ts';

/** The last ruleset of each environment, for a server that starts while the control plane is down. */
export interface RulesetDisk {
  /** Writes soon, and only the newest of several. Never throws: the disk is only the fallback. */
  keep(environmentId: string, ruleset: Ruleset): void;
  find(environmentId: string): Promise<Ruleset | undefined>;
  forget(environmentId: string): void;
  /** Waits for writes in progress. */
  flush(): Promise<void>;
}

interface DiskOptions {
  readonly directory: string;
  readonly log: Log;
  /** Changes within this delay are written once. */
  readonly delayMs?: number;
}

export function createRulesetDisk({ directory, log, delayMs = 1_000 }: DiskOptions): RulesetDisk {
  const next = new Map<string, Ruleset | null>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const fileOf = (environmentId: string) => join(directory, `${environmentId}.json`);

  async function writeAll(): Promise<void> {
    for (;;) {
      const [entry] = next;
      if (entry === undefined) return;
      next.delete(entry[0]);
      await writeOne(fileOf(entry[0]), entry[1]).catch((error: unknown) =>
        log.warn({ err: error, environment: entry[0] }, 'could not store a ruleset on disk'),
      );
    }
  }

  function put(environmentId: string, ruleset: Ruleset | null): void {
    next.set(environmentId, ruleset);
    timer ??= setTimeout(write, delayMs).unref();
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (next.size > 0) write();
    });
  }

  return {
    keep: put,
    forget: (environmentId) => put(environmentId, null),
    async find(environmentId) {
      const text = await readFile(fileOf(environmentId), 'utf8').catch(() => undefined);
      if (text === undefined) return undefined;
      try {
        return JSON.parse(text) as Ruleset;
      } catch (error) {
        log.warn({ err: error, environment: environmentId }, 'could not read a ruleset from disk');
        return undefined;
      }
    },
    async flush() {
      write();
      while (writing !== undefined) await writing;
    },
  };
}

async function writeOne(file: string, ruleset: Ruleset | null): Promise<void> {
  if (ruleset === null) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  // Written under another name first, so that a kill leaves the old file or the new one, never half of one.
  await writeFile(`${file}.tmp`, rulesetPieces(ruleset), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
