import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ruleset } from '@fanion/flag-engine';
import type { Settings } from './options.ts';
import { isRecord, isRuleset } from './ruleset.ts';

/**
 * Minimum time between two writes, so that a burst of changes is one write and a ramp of many flags does not keep the
 * disk busy.
 */
const WRITE_EVERY_MS = 5_000;
const FORMAT = 1;

/** The last good ruleset on disk. Nothing here throws: with a failing disk there is only no fallback. */
export interface RulesetCache {
  /** Undefined if there is none or it cannot be read. */
  load(): Promise<Ruleset | undefined>;
  /** Writes it soon; of several within a short time, only the last. */
  save(ruleset: Ruleset): void;
  /** Writes a pending ruleset. */
  flush(): Promise<void>;
}

/**
 * The file's name contains a hash of endpoint and key, so that several environments can share a directory without
 * mixing rulesets. It is replaced by rename, so it is complete at any time, also if several processes share it.
 */
export function openCache(directory: string, settings: Settings): RulesetCache {
  const source = createHash('sha256').update(`${settings.endpoint}\n${settings.sdkKey}`).digest('hex').slice(0, 32);
  const file = join(directory, `fanion-${source}.json`);
  let waiting: Ruleset | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function write(): Promise<void> {
    const ruleset = waiting;
    waiting = undefined;
    if (ruleset === undefined) return writing;
    writing = writing
      .then(() => replace(directory, file, JSON.stringify({ format: FORMAT, ruleset })))
      .catch((error: unknown) => settings.logger.warn(`fanion: the ruleset could not be kept on disk: ${text(error)}`));
    return writing;
  }

  return {
    async load() {
      try {
        const saved: unknown = JSON.parse(await readFile(file, 'utf8'));
        if (isRecord(saved) && saved.format === FORMAT && isRuleset(saved.ruleset)) return saved.ruleset;
        settings.logger.warn(`fanion: ${file} holds no ruleset and is passed over`);
      } catch (error) {
        const absent = isRecord(error) && error.code === 'ENOENT';
        if (!absent) settings.logger.warn(`fanion: ${file} could not be read: ${text(error)}`);
      }
      return undefined;
    },
    save(ruleset) {
      waiting = ruleset;
      if (timer !== undefined) return;
      void write();
      timer = setTimeout(() => {
        timer = undefined;
        if (waiting !== undefined) this.save(waiting);
      }, WRITE_EVERY_MS);
      timer.unref();
    },
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await write();
    },
  };
}

/** Readable by its owner alone: targets and segments name users. */
async function replace(directory: string, file: string, content: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
