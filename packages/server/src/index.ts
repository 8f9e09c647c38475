export { type Config, readConfig } from './config.ts';
export { serve } from './main.ts';
export { rotateKey } from './rotate-key.ts';
export { runStores } from './stores.ts';
export { version } from './version.ts';
