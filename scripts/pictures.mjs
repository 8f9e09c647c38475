// `npm run pictures`: pictures of every page, in both color schemes and on a phone, in `.build/pictures`.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

await prepare();
const tsx = createRequire(import.meta.url).resolve('tsx/cli');
const program = fileURLToPath(new URL('../bench/web/pictures.ts', import.meta.url));
const { status } = spawnSync(process.execPath, [tsx, program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
