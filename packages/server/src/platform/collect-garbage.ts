import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees what this thread no longer uses. For a thread that falls idle after it had large buffers: it allocates nothing any
 * more, so its garbage would stay for minutes. Stops the thread for some 30 ms.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
