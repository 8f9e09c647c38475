/** The nonce of this page's Content-Security-Policy, which every style element made at run time has to carry. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

// The scroll lock below dialogues makes a style element too; it looks for its nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
