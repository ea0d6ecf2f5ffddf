import { useState, type ToggleEvent } from "react";

/**
 * The state of a `<details>` with fields inside: opened when one of them becomes invalid, and then open until
 * the user closes it, because the first keystroke may already fix the field.
 */
export function useFold(hasProblem: boolean) {
  const [isOpen, setIsOpen] = useState(false);
  return {
    open: isOpen || hasProblem,
    onToggle: (event: ToggleEvent<HTMLDetailsElement>): void => setIsOpen(event.currentTarget.open),
  };
}
