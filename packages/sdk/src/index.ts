export type {
  ExposureLogger,
  ExposureOptions,
  ExposureRecord,
  FanionProviderOptions,
  ProviderLogger,
} from './options.ts';
export { FanionProvider } from './provider.ts';
