import { useEffect, useEffectEvent, useRef, type RefObject } from "react";
import type { StreamItem } from "../../api/stream-items.ts";
import { shortcutKeyOf } from "../../layout/shortcut-keys.ts";
import type { Steadiness } from "./use-steady-list.ts";

/** The focus that came to the first card just after another had been there is looked at for this long before A buys. */
const LOOK_MS = 1_000;

interface CardKeys {
  readonly list: RefObject<HTMLElement | null>;
  readonly items: readonly StreamItem[];
  /** Brings a card into view that is not drawn yet. */
  readonly scrollToIndex: (index: number) => void;
  readonly steadiness: Steadiness;
}

/** J and K walk through the cards, A buys the one that has the focus, or opens the page that confirms its purchase. */
export function useCardKeys({ list, items, scrollToIndex, steadiness }: CardKeys): void {
  const buysFromMs = useRef(0);
  const walk = useEffectEvent((step: 1 | -1): void => {
    const chosen = items.findIndex(({ id }) => id === focusedId());
    buysFromMs.current = chosen === -1 && steadiness.hasJustChanged() ? performance.now() + LOOK_MS : 0;
    const index = chosen === -1 ? 0 : Math.min(Math.max(chosen + step, 0), items.length - 1);
    const id = items[index]?.id;
    if (id === undefined) return;
    const card = cardOf(list.current, id);
    if (card !== null) return card.focus();
    scrollToIndex(index);
    requestAnimationFrame(() => cardOf(list.current, id)?.focus());
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = shortcutKeyOf(event);
      if (key === "j" || key === "k") {
        event.preventDefault();
        walk(key === "j" ? 1 : -1);
      } else if (key === "a" && !event.repeat && performance.now() >= buysFromMs.current) {
        focusedCard()?.querySelector<HTMLElement>(".buy-button")?.click();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function cardOf(list: HTMLElement | null, id: number): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-listing="${id}"]`) ?? null;
}

function focusedCard(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-listing]") ?? null;
}

function focusedId(): number {
  return Number(focusedCard()?.dataset["listing"]);
}
