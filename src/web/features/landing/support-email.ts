const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The address in the page's `support-email`, once the server has put one there; null while it has not. */
export function parseSupportEmail(content: string | null): string | null {
  const address = content?.trim() ?? "";
  return ADDRESS.test(address) ? address : null;
}

/** Where to write for help, as the operator of this installation set it. */
export function supportEmail(): string | null {
  return parseSupportEmail(
    document.querySelector('meta[name="support-email"]')?.getAttribute("content") ?? null,
  );
}
