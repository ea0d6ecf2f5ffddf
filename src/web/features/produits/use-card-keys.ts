import { useEffect, type RefObject } from "react";
import type { WindowVirtualizerHandle } from "virtua";
import { shortcutKeyOf } from "../../layout/shortcut-keys.ts";

interface CardKeys {
  readonly list: RefObject<HTMLElement | null>;
  readonly virtualizer: RefObject<WindowVirtualizerHandle | null>;
  /** The listings in the order of the screen. */
  readonly ids: readonly number[];
  readonly columns: number;
}

/** J and K walk through the cards, A buys the one that is chosen. */
export function useCardKeys({ list, virtualizer, ids, columns }: CardKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = shortcutKeyOf(event);
      if (key === "j" || key === "k") {
        event.preventDefault();
        choose(nextIndex(key === "j" ? 1 : -1));
      } else if (key === "a" && !event.repeat) {
        chosenCard()?.querySelector<HTMLButtonElement>(".buy-button button")?.click();
      }
    };
    const chosenCard = (): HTMLElement | null =>
      document.activeElement?.closest<HTMLElement>("[data-listing]") ?? null;
    const nextIndex = (step: 1 | -1): number => {
      const chosen = ids.indexOf(Number(chosenCard()?.dataset["listing"] ?? Number.NaN));
      if (chosen === -1) return 0;
      return Math.min(Math.max(chosen + step, 0), ids.length - 1);
    };
    const choose = (index: number): void => {
      const id = ids[index];
      if (id === undefined) return;
      const card = list.current?.querySelector<HTMLElement>(`[data-listing="${id}"]`);
      if (card) return card.focus();
      // Not drawn yet: the list scrolls to its row first.
      virtualizer.current?.scrollToIndex(Math.floor(index / columns), { align: "nearest" });
      requestAnimationFrame(() => {
        list.current?.querySelector<HTMLElement>(`[data-listing="${id}"]`)?.focus();
      });
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [list, virtualizer, ids, columns]);
}
