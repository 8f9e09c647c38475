/** The file of a worker beside a module. Threads do not load TypeScript: when running from source, the build is used. */
export function workerEntry(path: string, base: string): URL {
  const { href } = new URL(`${path}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
  return new URL(href.replace(/\/src\/(.*)\.ts$/, '/dist/$1.js'));
}
