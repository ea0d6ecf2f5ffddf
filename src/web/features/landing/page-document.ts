import { MAX_ARCHIVE_DAYS } from "#contract/bounds.ts";
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

/** The number in the page's `archive-days`, once the server has put one there; null while it has not. */
export function parseArchiveDays(content: string | null | undefined): number | null {
  const text = content?.trim() ?? "";
  const days = /^\d{1,2}$/u.test(text) ? Number(text) : 0;
  return days >= 1 && days <= MAX_ARCHIVE_DAYS ? days : null;
}

/** Where to write for help, as the operator of this installation set it. */
export function useSupportEmail(): string | null {
  return parseSupportEmail(useMeta("support-email"));
}

/** For how many days this installation keeps the market's facts. */
export function useArchiveDays(): number | null {
  return parseArchiveDays(useMeta("archive-days"));
}

function useMeta(name: string): string | null {
  const isInBrowser = useIsInBrowser();
  if (!isInBrowser) return null;
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? null;
}
