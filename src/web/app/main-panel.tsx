/** Where everything under /synapse begins: the router, the component library, and the stream as its first screen. */
import "../ui/ground.ts";
import "../ui/font.css";
import "./splash.css";
import { PanelPages } from "./panel-pages.tsx";
import { readPanel, queries } from "../api/queries.ts";
import { noteForgottenSignIn } from "../api/sign-in-trace.ts";
import { start } from "./start.tsx";

const STREAM_PATH = "/synapse/articles";
/** As many as a phone's first screen shows: more would only wait for one another. */
const FIRST_PHOTOS = 2;

const client = start(<PanelPages />);
void client.fetchQuery(queries.user).then(
  (user) => {
    // What the first screen shows is asked for while the panel is being drawn.
    if (user !== null && user.level > 0) {
      readPanel(client);
      if (window.location.pathname === STREAM_PATH) askForFirstPhotos();
    }
    // Black says nothing: the landing page tells whose browser kept no cookie of the sign-in.
    if (user === null && noteForgottenSignIn()) window.location.replace("/#login");
  },
  // Who cannot be known sees no panel; the page itself asks again.
  () => undefined,
);

/** The first photos are on their way while the cards around them are still being drawn. */
function askForFirstPhotos(): void {
  client.ensureQueryData(queries.recentArticles).then(
    (items) => {
      for (const { photo } of items.slice(0, FIRST_PHOTOS)) {
        if (photo === null || photo.url === "") continue;
        const image = new Image();
        image.fetchPriority = "high";
        image.src = photo.url;
      }
    },
    () => undefined,
  );
}
