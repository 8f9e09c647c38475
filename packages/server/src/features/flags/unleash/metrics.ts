import { createHash } from 'node:crypto';
import { type Rulesets, servedTo } from '../evaluation/index.ts';
import type { Exposures } from '../exposures/index.ts';
import type { Asked } from './backend.ts';
import { bucketName, RecentBuckets, reportedCounts } from './metrics-rules.ts';

/** About 20 MB. */
const rememberedCounters = 200_000;

/** Counts what Unleash's SDKs report. */
export function createMetrics(rulesets: Rulesets, exposures: Pick<Exposures, 'add'>) {
  const recent = new RecentBuckets(rememberedCounters);
  return {
    async report({ caller, request, reply }: Asked, body: unknown): Promise<undefined> {
      const counts = reportedCounts(body, await servedTo(rulesets, caller));
      const connection = request.headers['unleash-connection-id'] ?? request.headers['x-unleash-connection-id'];
      const name = bucketName(body, typeof connection === 'string' ? connection : undefined);
      // Clients choose how long the name is.
      const bucket = createHash('sha256').update(`${caller.keyId} ${name}`).digest('base64');
      for (const { answer, times } of recent.news(bucket, counts)) exposures.add(caller, answer, times);
      reply.code(202).send();
      return undefined;
    },
  };
}
