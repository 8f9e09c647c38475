/**
 * How often a thread of the engine looks how much memory the process has. As often as it does by itself, ten times a second or more, it takes
 * 45 ms of processor time a minute at rest (2026-11-22). Queries count what they allocate themselves.
 */
const MEMORY_CHECK_MS = 500;

/**
 * Threads of the engine that wait for work; others end. By default up to 1,000 stay, and after some inserts there were 116, each with its stack and
 * freed memory of its own.
 */
const IDLE_THREADS = 16;

/**
 * How the engine divides its memory: arguments of chDB, by their names in ClickHouse's `ServerSettings.cpp`. Without
 * them each cache may take 1 to 5 GiB, and the caches count towards the limit of the engine. Here they get at most a
 * quarter of it, so that queries, inserts and merges always have the rest. If one of those needs more, it fails with
 * code 241; the engine does not crash.
 * @param bytes all that the engine may allocate
 */
export function memoryArguments(bytes: number): string[] {
  const shares = {
    max_server_memory_usage: 1,
    mark_cache_size: 0.06,
    index_mark_cache_size: 0.03,
    // Of small reads, see the settings of reads in the server: docs/decisions/0041-storage-of-spans-and-logs.md.
    uncompressed_cache_size: 0.05,
    // Tables keep their primary indexes themselves (`use_primary_key_cache` is 0).
    primary_index_cache_size: 0,
    text_index_tokens_cache_size: 0.02,
    text_index_header_cache_size: 0.02,
    text_index_postings_cache_size: 0.03,
    query_condition_cache_size: 0.02,
    compiled_expression_cache_size: 0.02,
    // All merges together. One that needs more waits.
    merges_mutations_memory_usage_soft_limit: 0.25,
  };
  return [
    ...Object.entries(shares).map(([name, share]) => `--${name}=${Math.floor(bytes * share)}`),
    `--memory_worker_period_ms=${MEMORY_CHECK_MS}`,
    `--max_thread_pool_free_size=${IDLE_THREADS}`,
  ];
}

const MOST_INSERTS = 4;
/**
 * One insert of 64 MiB with the views behind it, two merges, and what queries need. With half of it, one in four inserts of spans at full speed
 * failed for want of memory, and was sent again (2026-11-23, docs/decisions/0108-one-setting-for-memory.md).
 */
const INSERT_BYTES = 512 * 1024 ** 2;

/** Inserts that run at once. The rows of others wait in files. */
export function insertsAtOnce(bytes: number): number {
  return Math.min(MOST_INSERTS, Math.max(1, Math.floor(bytes / INSERT_BYTES)));
}

/**
 * Of the engine's allocator, jemalloc, which reads them from `JE_MALLOC_CONF`. What is freed is returned to the system at once from
 * 2 MiB on, as the columns of inserts and merges are, and otherwise after half a second. By default it stays for five seconds,
 * and inserts that follow each other had 300 MiB of it (docs/decisions/0108-one-setting-for-memory.md).
 */
export const allocatorSettings = 'oversize_threshold:2097152,dirty_decay_ms:500';
