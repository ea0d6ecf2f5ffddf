import { useIsInBrowser } from "./use-is-in-browser.ts";

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The address in the page's `support-email`, once the server has put one there; null while it has not. */
export function parseSupportEmail(content: string | null | undefined): string | null {
  const address = content?.trim() ?? "";
  return ADDRESS.test(address) ? address : null;
}

/** Where to write for help, as the operator of this installation set it. */
export function useSupportEmail(): string | null {
  const isInBrowser = useIsInBrowser();
  if (!isInBrowser) return null;
  return parseSupportEmail(document.querySelector('meta[name="support-email"]')?.getAttribute("content"));
}
