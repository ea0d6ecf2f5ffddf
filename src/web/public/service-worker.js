/*
 * Serves an offline page when the panel is opened without a network, and shows pushed alerts. It caches
 * nothing, so no personal data either; requests other than navigations bypass it.
 */

/*
 * Not a link and a Refresh header: neither asks again where the URL has a fragment, such as a shared filter, and
 * keeps it.
 */
const RETRY_SCRIPT =
  'const retry = () => location.reload(); document.querySelector("button").onclick = retry; setTimeout(retry, 10000);';
/** Of the script, the only one that the offline page may run. */
const RETRY_SCRIPT_HASH = "sha256-h1kBqrr1S3ZG72F6Z+Ts2YirE9p2vmI+emo63YdR0zg=";

const OFFLINE_PAGE = `<!doctype html>
<html lang="fr">
  <head>
    <meta charset="utf-8" />
    <title>Hors ligne — Synapse</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>
      :root { color-scheme: light dark }
      body {
        display: grid; place-content: center; justify-items: center; gap: 12px;
        min-height: 100dvh; margin: 0; padding: 24px; box-sizing: border-box; text-align: center;
        background: light-dark(#f3f4ee, #0b0d0c); color: light-dark(#151915, #eef1ec);
        font: 0.9375rem / 1.45 "Archivo", system-ui, sans-serif;
      }
      h1 { margin: 0; font-size: 1.375rem; line-height: 1.15 }
      p { margin: 0; max-width: 44ch; color: light-dark(#566056, #a3ada6) }
      button {
        min-height: 44px; margin-top: 8px; padding: 0 20px;
        border: 1px solid light-dark(#a4d312, transparent); border-radius: 10px;
        background: #c8ff3d; color: #10140a; font: inherit; font-weight: 700; cursor: pointer;
      }
      button:focus-visible { outline: 2px solid light-dark(#476100, #c8ff3d); outline-offset: 2px }
    </style>
  </head>
  <body>
    <h1>Vous êtes hors ligne</h1>
    <p>Le flux reprendra dès que la connexion sera revenue. Vos filtres et vos achats sont en sécurité.</p>
    <button type="button">Réessayer</button>
    <script>${RETRY_SCRIPT}</script>
  </body>
</html>`;

/**
 * @typedef {Event & { request: Request, preloadResponse: Promise<Response | undefined>,
 *   respondWith: (answer: Promise<Response>) => void }} PageRequest
 * @typedef {Event & { waitUntil: (work: Promise<void>) => void,
 *   currentTarget: { registration: ServiceWorkerRegistration } }} Activation
 */

/*
 * Navigation preload: the browser requests a page while the worker is still starting. Enabled here and not by
 * the page, which may be closed before it could do so.
 */
self.addEventListener("activate", (/** @type {Activation} */ event) => {
  event.waitUntil(event.currentTarget.registration.navigationPreload.enable());
});

self.addEventListener("fetch", (/** @type {PageRequest} */ event) => {
  if (event.request.mode === "navigate") event.respondWith(pageOrOffline(event));
});

/** @param {PageRequest} event */
async function pageOrOffline(event) {
  try {
    return (await preloaded(event)) ?? (await fetch(event.request));
  } catch {
    return new Response(OFFLINE_PAGE, {
      status: 503,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; script-src '${RETRY_SCRIPT_HASH}'; frame-ancestors 'none'`,
      },
    });
  }
}

/** @param {PageRequest} event */
async function preloaded(event) {
  try {
    return await event.preloadResponse;
  } catch {
    return undefined;
  }
}

/**
 * Alerts (contract, "Messages"). A notification only informs; buying takes the page that its link opens.
 *
 * @typedef {{ action: string, titre: string, url: string }} AlertAction
 * @typedef {{ type: string, titre: string, corps: string, sonore: boolean, marque: string, url: string,
 *   actions: AlertAction[] }} Alert
 * @typedef {{ focused?: boolean, url: string, focus: () => Promise<unknown>,
 *   navigate: (url: string) => Promise<PageWindow | null> }} PageWindow
 * @typedef {{ registration: ServiceWorkerRegistration, clients: {
 *   matchAll: (options: object) => Promise<PageWindow[]>, openWindow: (url: string) => Promise<unknown> } }} AlertWorker
 * @typedef {Event & { data: { json: () => Alert } | null, waitUntil: (work: Promise<unknown>) => void,
 *   currentTarget: AlertWorker }} PushMessage
 * @typedef {Event & { action: string, notification: { data: Alert, close: () => void },
 *   waitUntil: (work: Promise<unknown>) => void, currentTarget: AlertWorker }} NotificationClick
 */
const WINDOWS = { type: "window", includeUncontrolled: true };
/** The types of which the panel shows everything on its own pages. */
const SHOWN_BY_PANEL = ["article", "groupe", "achat", "resume"];

self.addEventListener("push", (/** @type {PushMessage} */ event) => {
  const alert = alertOf(event);
  if (alert !== null) event.waitUntil(show(event.currentTarget, alert));
});

/** @param {PushMessage} event */
function alertOf({ data }) {
  try {
    return data === null ? null : data.json();
  } catch {
    return null;
  }
}

/**
 * @param {AlertWorker} worker
 * @param {Alert} alert
 */
async function show({ registration, clients }, alert) {
  const { type, titre, corps, sonore, marque, actions } = alert;
  const windows = await clients.matchAll(WINDOWS);
  // A focused panel shows such news itself; the public pages and the page of an alert's link do not.
  const isLookedAt = windows.some(
    ({ focused, url }) => focused === true && new URL(url).pathname.startsWith("/synapse"),
  );
  if (isLookedAt && SHOWN_BY_PANEL.includes(type) && !mustShow()) return;
  await registration.showNotification(titre, {
    body: corps,
    tag: marque,
    silent: !sonore,
    lang: "fr",
    icon: "/icon-192.png",
    data: alert,
    actions: actions.map(({ action, titre: title }) => ({ action, title })),
  });
}

/** Safari revokes the push permission of a worker that does not show a notification for each push. */
function mustShow() {
  const { userAgent } = navigator;
  return userAgent.includes("Safari/") && !/Chrom(e|ium)\//.test(userAgent);
}

self.addEventListener("notificationclick", (/** @type {NotificationClick} */ event) => {
  const { notification, action, currentTarget } = event;
  notification.close();
  const { url, actions } = notification.data;
  event.waitUntil(open(currentTarget, actions.find((one) => one.action === action)?.url ?? url));
});

/**
 * Opens a panel URL in an already open panel window, any other URL in a new one.
 * @param {AlertWorker} worker
 * @param {string} url
 */
async function open({ clients }, url) {
  const { origin, pathname } = new URL(url);
  const windows = await clients.matchAll(WINDOWS);
  const panel = windows.find(({ url: shown }) => shown.startsWith(`${origin}/synapse`));
  if (panel === undefined || !pathname.startsWith("/synapse")) return await clients.openWindow(url);
  // `navigate` rejects for a page that this worker does not control, such as one loaded before it.
  const shown = await panel.navigate(url).catch(() => null);
  return shown === null ? await clients.openWindow(url) : await shown.focus();
}
