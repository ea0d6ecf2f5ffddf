/**
 * Starts the panel's first requests while its code is still loading: the document runs this module's small
 * chunk before all others (vite.config.ts). The public pages load that chunk too, but start no requests.
 */
import type { ProduitDuFlux } from "#contract/produit.ts";
import { readEarly } from "../api/first-reads.ts";

const PANEL = /^\/synapse(\/|$)/;
const STREAM_PATH = "/synapse/articles";
/** Two on a phone, one row on a wide screen: more would only compete for bandwidth. */
const MIN_FIRST_PHOTOS = 2;
const PX_PER_FIRST_PHOTO = 240;

if (PANEL.test(window.location.pathname)) {
  readEarly().then(
    (articles) => {
      if (articles !== null && window.location.pathname === STREAM_PATH) askForPhotos(articles);
    },
    // The query that consumes the request handles its failure.
    () => undefined,
  );
}

/** Requests the first photos while their cards are still being rendered. */
function askForPhotos(articles: readonly ProduitDuFlux[]): void {
  const count = Math.max(MIN_FIRST_PHOTOS, Math.floor(window.innerWidth / PX_PER_FIRST_PHOTO));
  for (const { photo } of articles.slice(0, count)) {
    if (photo === null || photo.url === "") continue;
    const image = new Image();
    image.fetchPriority = "high";
    image.src = photo.url;
  }
}
