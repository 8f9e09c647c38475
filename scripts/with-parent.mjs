// With `node --import`, ends a program when the process that holds its standard input ends, even by a kill.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
process.stdin.unref?.();
