import { MAX_ARCHIVE_DAYS } from "#contract/bounds.ts";
import { useSyncExternalStore, useEffect } from "react";

/** False while prerendering and during hydration. */
function useIsInBrowser(): boolean {
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

/**
 * Lays out the sections below the first screen, which landing.css leaves out at first: one per task, so that a slow
 * phone stays responsive; all at once as soon as the URL has a fragment, whose place depends on their heights.
 */
export function useLaterSections(): void {
  useEffect(() => {
    const later = [...document.querySelectorAll<HTMLElement>("main > section")];
    const showNext = (): void => later.shift()?.style.setProperty("content-visibility", "visible");
    const showLater = (): void => {
      const id = window.location.hash.slice(1);
      if (id === "") return showNext();
      while (later.length > 0) showNext();
      document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
    };
    if (window.location.hash !== "") showLater();
    const timer = setInterval(() => {
      if (later.length === 0) clearInterval(timer);
      else showLater();
    });
    return () => {
      clearInterval(timer);
    };
  }, []);
}

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The address in the `support-email` meta tag; null if the server has not set one. */
export function parseSupportEmail(content: string | null | undefined): string | null {
  const address = content?.trim() ?? "";
  return ADDRESS.test(address) ? address : null;
}

/** The number in the `archive-days` meta tag; null if the server has not set one. */
export function parseArchiveDays(content: string | null | undefined): number | null {
  const text = content?.trim() ?? "";
  const days = /^\d{1,2}$/u.test(text) ? Number(text) : 0;
  return days >= 1 && days <= MAX_ARCHIVE_DAYS ? days : null;
}

/** The operator's support address. */
export function useSupportEmail(): string | null {
  return parseSupportEmail(useMeta("support-email"));
}

/** For how many days this installation keeps market data. */
export function useArchiveDays(): number | null {
  return parseArchiveDays(useMeta("archive-days"));
}

function useMeta(name: string): string | null {
  const isInBrowser = useIsInBrowser();
  if (!isInBrowser) return null;
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? null;
}
