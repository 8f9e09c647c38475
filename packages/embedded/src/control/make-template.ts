// Run as a process: `node dist/control/make-template.js`.
import { makeTemplate } from './template.ts';

await makeTemplate();
process.exit(0);
