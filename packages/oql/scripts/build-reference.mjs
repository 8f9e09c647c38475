// Writes REFERENCE.md from the built package: `npx tsc -b packages/oql` first.
import { writeFileSync } from 'node:fs';
import { reference } from '../dist/reference.js';

writeFileSync(new URL('../REFERENCE.md', import.meta.url), reference());
