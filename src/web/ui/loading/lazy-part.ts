import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { whenOnline } from "./online.ts";

/**
 * React's `lazy`, which waits for a network before it loads. A load that failed could not be repeated: the browser
 * and Vite remember the files that are missing, and the part would stay broken until the page is reloaded.
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    await whenOnline();
    return { default: await load() };
  });
}
