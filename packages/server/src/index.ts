export { type Config, readConfig } from './config.ts';
export { serve } from './main.ts';
export { runStores } from './stores.ts';
export { version } from './version.ts';
