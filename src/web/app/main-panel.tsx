/** Where everything under /synapse begins: the router, the component library, and the stream as its first screen. */
import "./early.ts";
import "../api/panel-answers.ts";
import "../ui/colour-scheme.ts";
import "./panel.css";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useObservable } from "../api/live/observable.ts";
import { readPanel, queries } from "../api/queries.ts";
import { noteForgottenSignIn } from "../api/session.ts";
import { keepSharedFilter } from "../api/shared-filter.ts";
import { loadedToasts, loadToasts } from "../ui/toasts/show-toast.ts";
import { createPageRouter } from "./router.tsx";
import { start } from "./start.tsx";

/** Long enough for the first screen to have all it asked for, on a slow phone too. */
const TOASTS_AHEAD_MS = 15_000;

// Before the router reads the address.
keepSharedFilter();
// A link that is pasted into this tab loads no page.
window.addEventListener("hashchange", keepSharedFilter);
const client = start(<PanelPages />);
void client.fetchQuery(queries.user).then(
  (user) => {
    // What the first screen shows is asked for while the panel is being drawn.
    if (user !== null && user.level > 0) readPanel(client);
    // Without a session the panel is black: the landing page explains that the browser kept no cookie of the sign-in.
    if (user === null && noteForgottenSignIn()) window.location.replace("/#login");
  },
  // Who cannot be known sees no panel; the page itself asks again.
  () => undefined,
);

/**
 * The screens under /synapse, and the landing page as the place to go after a logout. Messages stand outside the
 * screens, so that the goodbye is still read there.
 */
function PanelPages() {
  const [router] = useState(createPageRouter);
  return (
    <>
      <RouterProvider router={router} />
      <Toasts />
    </>
  );
}

/** The messages, which the first screen does without. */
function Toasts() {
  const loaded = useObservable(loadedToasts);
  useEffect(() => {
    const timer = setTimeout(loadToasts, TOASTS_AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  return loaded === null ? null : <loaded.Toasts />;
}
