/**
 * The package of a function: what people own or update as one. By its file where that says it (a folder of `node_modules`, or
 * the folder of a source file), else by its name, as Go, Java, Python and Rust write it. Empty if neither says it.
 */
export function packageOf({ name, file }: { readonly name: string; readonly file: string }): string {
  const path = file.replaceAll('\\', '/');
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (dependency !== undefined) return dependency;
  if (path.startsWith('node:')) return path.split('/')[0] ?? 'node';
  const go = /^((?:[^\s/()]+\/)*[^\s/.()]+)\.(?:\(\*?\w+\)|\w)/.exec(name)?.[1];
  if (go?.includes('/')) return go;
  const rust = /^<?(\w+)::/.exec(name)?.[1];
  if (rust !== undefined) return rust;
  const folder = /^(.*)\/[^/]+$/.exec(path)?.[1];
  if (folder !== undefined && folder !== '') return folder.split('/').slice(-2).join('/');
  const parts = name.split('.');
  if (parts.length > 2 && /^[\w$.]+$/.test(name)) return parts.slice(0, -2).join('.');
  return go ?? '';
}
