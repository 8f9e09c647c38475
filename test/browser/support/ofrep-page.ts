import { OFREPWebProvider, type OFREPWebProviderOptions } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

/*
 * The script of a foreign page: the published provider and none of our code. It is bundled for the browser
 * (`foreign-site.ts`), and the test calls what it leaves on `window`.
 */

const changes: string[] = [];

const page = {
  changes,
  /** Resolves with the error message, or with an empty string. */
  async start(options: OFREPWebProviderOptions, context: Record<string, string>): Promise<string> {
    OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, () => changes.push(String(this.value('simple'))));
    await OpenFeature.setContext(context);
    return OpenFeature.setProviderAndWait(new OFREPWebProvider(options)).then(
      () => '',
      (error: unknown) => String(error),
    );
  },
  value: (key: string) => OpenFeature.getClient().getBooleanDetails(key, false).value,
  details: (key: string) => ({ ...OpenFeature.getClient().getBooleanDetails(key, false) }),
  setContext: (context: Record<string, string>) => OpenFeature.setContext(context),
  close: () => OpenFeature.clearProviders(),
};

declare global {
  interface Window {
    provider: typeof page;
  }
}
window.provider = page;
