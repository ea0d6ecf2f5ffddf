import { useEffect } from "react";

/** Closes an open menu on Escape and on any click elsewhere; Escape hands the focus back to its button. */
export function useMenuClosing(menuId: string, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const button = (): HTMLElement | null =>
      document.querySelector<HTMLElement>(`[aria-controls="${menuId}"]`);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      close();
      button()?.focus();
    };
    const onClick = ({ target }: MouseEvent): void => {
      if (!(target instanceof Node)) return;
      const isWithin = document.getElementById(menuId)?.contains(target) ?? false;
      // The button toggles by itself.
      if (!isWithin && button()?.contains(target) !== true) close();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", onClick);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("click", onClick);
    };
  }, [menuId, isOpen, close]);
}
