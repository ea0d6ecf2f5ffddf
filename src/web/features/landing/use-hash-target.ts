import { useEffect } from "react";

/** Goes to the section in the address: when the browser looked for it, the page was not there yet. */
export function useHashTarget(): void {
  useEffect(() => {
    const id = window.location.hash.slice(1);
    if (id !== "") document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
  }, []);
}
