// `npm run build`: install and build, and start nothing.
import { prepare } from './prepare.mjs';

await prepare();
