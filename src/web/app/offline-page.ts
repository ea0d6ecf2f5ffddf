/** Lets the browser say in words that there is no network, once the panel has been open (public/service-worker.js). */
export function prepareOfflinePage(): void {
  if (!("serviceWorker" in navigator)) return;
  // Where it is refused, the browser's own page stands there: nothing to tell the person.
  navigator.serviceWorker.register("/service-worker.js", { scope: "/synapse/" }).catch(() => undefined);
}
