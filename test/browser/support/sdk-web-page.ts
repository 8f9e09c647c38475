import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { FanionWebProvider, type FanionWebProviderOptions } from '../../../packages/sdk-web/src/index.ts';

/* The script of a foreign page with the web SDK, bundled for the browser (`foreign-site.ts`). */

const changes: string[] = [];

const page = {
  changes,
  /** Resolves with the error message, or with an empty string. */
  async start(options: FanionWebProviderOptions, context: Record<string, string>): Promise<string> {
    OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, (details) =>
      changes.push(String(details?.flagsChanged)),
    );
    await OpenFeature.setContext(context);
    return OpenFeature.setProviderAndWait(new FanionWebProvider(options)).then(
      () => '',
      (error: unknown) => String(error),
    );
  },
  value: (key: string) => OpenFeature.getClient().getBooleanValue(key, false),
  setContext: (context: Record<string, string>) => OpenFeature.setContext(context),
  close: () => OpenFeature.clearProviders(),
};

declare global {
  interface Window {
    fanion: typeof page;
  }
}
window.fanion = page;
