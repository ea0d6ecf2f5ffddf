import { useSyncExternalStore, useEffect } from "react";

/** False while a page is rendered without a browser, and during hydration. */
export function useIsInBrowser(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Goes to the section in the address: when the browser looked for it, the page was not there yet. */
export function useHashTarget(): void {
  useEffect(() => {
    const id = window.location.hash.slice(1);
    if (id !== "") document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
  }, []);
}

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
