import { useState, type ToggleEvent } from "react";

/**
 * The state of a `<details>` with fields inside: open while one of them is to be mended, and from then on until the person
 * closes it, because the first key may mend the field.
 */
export function useFold(hasProblem: boolean) {
  const [isOpen, setIsOpen] = useState(false);
  return {
    open: isOpen || hasProblem,
    onToggle: (event: ToggleEvent<HTMLDetailsElement>): void => setIsOpen(event.currentTarget.open),
  };
}
