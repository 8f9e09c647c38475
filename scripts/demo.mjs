// `npm run demo`: the shop, against a running server.
import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'demo');
await import('../packages/cli/dist/main.js');
