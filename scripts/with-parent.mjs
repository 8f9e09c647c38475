// `node --import` of this ends a program with the one that holds its standard input, also one that is killed.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
process.stdin.unref?.();
