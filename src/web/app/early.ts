/**
 * Starts the panel's first reads while its own code is still loading: the document runs this module's small chunk
 * before all others (vite.config.ts). The public pages load that chunk too, but start no reads.
 */
import type { ProduitDuFlux } from "#contract/produit.ts";
import { readEarly } from "../api/first-reads.ts";

const PANEL = /^\/synapse(\/|$)/;
const STREAM_PATH = "/synapse/articles";
/** Two on a phone, a row on a wide screen: more would only wait for one another. */
const MIN_FIRST_PHOTOS = 2;
const PX_PER_FIRST_PHOTO = 240;

if (PANEL.test(window.location.pathname)) {
  readEarly().then(
    (articles) => {
      if (articles !== null && window.location.pathname === STREAM_PATH) askForPhotos(articles);
    },
    // The query that takes over the read handles its failure.
    () => undefined,
  );
}

/** The first photos are on their way while the cards around them are still being drawn. */
function askForPhotos(articles: readonly ProduitDuFlux[]): void {
  const count = Math.max(MIN_FIRST_PHOTOS, Math.floor(window.innerWidth / PX_PER_FIRST_PHOTO));
  for (const { photo } of articles.slice(0, count)) {
    if (photo === null || photo.url === "") continue;
    const image = new Image();
    image.fetchPriority = "high";
    image.src = photo.url;
  }
}
