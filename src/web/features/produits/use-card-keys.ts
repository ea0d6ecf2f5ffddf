import { useEffect, type RefObject } from "react";
import type { WindowVirtualizerHandle } from "virtua";
import { shortcutKeyOf } from "../../layout/shortcut-keys.ts";
import type { Row } from "./rows.ts";

interface CardKeys {
  readonly list: RefObject<HTMLElement | null>;
  readonly virtualizer: RefObject<WindowVirtualizerHandle | null>;
  readonly rows: readonly Row<{ readonly id: number }>[];
}

/** J and K walk through the cards, A buys the one that is chosen. */
export function useCardKeys({ list, virtualizer, rows }: CardKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = shortcutKeyOf(event);
      if (key === "j" || key === "k") {
        event.preventDefault();
        choose(nextId(key === "j" ? 1 : -1));
      } else if (key === "a" && !event.repeat) {
        chosenCard()?.querySelector<HTMLButtonElement>("button.buy-button")?.click();
      }
    };
    const allIds = (): readonly number[] => rows.flatMap(({ items }) => items.map(({ id }) => id));
    const chosenCard = (): HTMLElement | null =>
      document.activeElement?.closest<HTMLElement>("[data-listing]") ?? null;
    const nextId = (step: 1 | -1): number | undefined => {
      const ids = allIds();
      const chosen = ids.indexOf(Number(chosenCard()?.dataset["listing"] ?? Number.NaN));
      return chosen === -1 ? ids[0] : ids[Math.min(Math.max(chosen + step, 0), ids.length - 1)];
    };
    const choose = (id: number | undefined): void => {
      if (id === undefined) return;
      const card = list.current?.querySelector<HTMLElement>(`[data-listing="${id}"]`);
      if (card) return card.focus();
      // Not drawn yet: the list scrolls to its row first.
      virtualizer.current?.scrollToIndex(rowHolding(id), { align: "nearest" });
      requestAnimationFrame(() => {
        list.current?.querySelector<HTMLElement>(`[data-listing="${id}"]`)?.focus();
      });
    };
    const rowHolding = (wanted: number): number =>
      rows.findIndex(({ items }) => items.some(({ id }) => id === wanted));
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [list, virtualizer, rows]);
}
