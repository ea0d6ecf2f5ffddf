/** Where everything under /synapse begins: the router, the component library, and the stream as its first screen. */
import "./early.ts";
import "../api/panel-answers.ts";
import "../ui/ground.ts";
import "../ui/font.css";
import "./splash.css";
import { PanelPages } from "./panel-pages.tsx";
import { readPanel, queries } from "../api/queries.ts";
import { noteForgottenSignIn } from "../api/sign-in-trace.ts";
import { start } from "./start.tsx";

const client = start(<PanelPages />);
void client.fetchQuery(queries.user).then(
  (user) => {
    // What the first screen shows is asked for while the panel is being drawn.
    if (user !== null && user.level > 0) readPanel(client);
    // Black says nothing: the landing page tells whose browser kept no cookie of the sign-in.
    if (user === null && noteForgottenSignIn()) window.location.replace("/#login");
  },
  // Who cannot be known sees no panel; the page itself asks again.
  () => undefined,
);
