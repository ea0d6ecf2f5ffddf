import { useEffect, useState } from "react";

/**
 * Whether a window whose code has just come is to be shown: never at its first drawing, since the library notes where
 * the focus was, and gives it back there, only for a window that it saw closed before.
 */
export function useOpened(isOpen: boolean): boolean {
  const [wasDrawn, setWasDrawn] = useState(false);
  useEffect(() => setWasDrawn(true), []);
  return isOpen && wasDrawn;
}
