export type { FanionWebProviderOptions } from './options.ts';
export { FanionWebProvider } from './provider.ts';
