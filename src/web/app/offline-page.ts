/** Lets the browser say in words that there is no network, once the panel has been open (public/service-worker.js). */
export function prepareOfflinePage(): void {
  if (!("serviceWorker" in navigator)) return;
  // Where it is refused, the browser's own page stands there: nothing to tell the person.
  install().catch(() => undefined);
}

async function install(): Promise<void> {
  const { serviceWorker } = navigator;
  await serviceWorker.register("/service-worker.js", { scope: "/synapse/" });
  // A page is asked for while the worker itself still starts, not after it.
  const { navigationPreload } = await serviceWorker.ready;
  await navigationPreload.enable();
}
