// `npm start`: from a fresh clone to a running server.
import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'serve');
await import('../packages/cli/dist/main.js');
