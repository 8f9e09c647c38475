// What `npm pack` does first in each package: builds what is stale, and puts the licence beside the package's manifest.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();
copyFileSync(join(root, 'LICENSE'), join(process.cwd(), 'LICENSE'));
