/**
 * Of glibc's `malloc` in a child process, as environment variables; other systems ignore them. glibc returns freed memory only from the end of
 * a heap, so one small allocation keeps the tens of mebibytes below it that compilers of WebAssembly and bodies of inserts have left
 * (docs/decisions/0108-one-setting-for-memory.md). An allocation from the threshold on, in bytes, is a mapping of its own, which is returned when
 * it is freed. V8's compilers allocate 32 KiB at a time, Node's sockets 64 KiB.
 */
export const mallocSettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768' } as const;
