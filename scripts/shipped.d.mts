export function shippedPackages(): {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string;
  readonly inBundle: boolean;
}[];
