/** The nonce of this page's Content-Security-Policy, which every style element made at run time has to carry. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}
