import type { KeyboardEvent } from "react";

/**
 * Of a window that something inside or above may take the Escape key from: an open list, a field, a question. The
 * library would close every open window at once, before any of them hears of the key.
 */
export function closedByEscape(onClose: () => void) {
  return {
    closeOnEscape: false,
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    },
  };
}
