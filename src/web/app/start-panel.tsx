import { PanelPages } from "./panel-pages.tsx";
import { readPanel, queries } from "../api/queries.ts";
import { start } from "./start.tsx";

const client = start(<PanelPages />);
void client.fetchQuery(queries.user).then(
  (user) => {
    // What the first screen shows is asked for while the panel is being drawn.
    if (user !== null && user.level > 0) readPanel(client);
  },
  // Who cannot be known sees no panel; the page itself asks again.
  () => undefined,
);
