/** Entry point of /synapse: the router, the component library, and the stream as the first screen. */
import "./early.ts";
import "../api/panel-answers.ts";
import "../ui/theme/colour-scheme.ts";
import "./panel.css";
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { useObservable } from "../api/live/observable.ts";
import { readPanel, queries } from "../api/queries.ts";
import { settleSignIn } from "../api/session.ts";
import { keepSharedFilter } from "../api/shared-filter.ts";
import { loadedToasts } from "../ui/toasts/show-toast.ts";
import { UnloadedToast } from "../ui/toasts/unloaded-toast.tsx";
import { createPageRouter } from "./router.tsx";
import { start } from "./start.tsx";

// Before the router reads the URL.
keepSharedFilter();
// A link pasted into this tab changes only the fragment and loads no page.
window.addEventListener("hashchange", keepSharedFilter);
const client = start(<PanelPages />);
void client.fetchQuery(queries.user).then(
  (user) => {
    // Fetched while the panel renders.
    if (user !== null && user.level > 0) readPanel(client);
    // Without a session the panel is black: the landing page explains that the browser kept no cookie of the sign-in.
    if (settleSignIn(user !== null)) window.location.replace("/#login");
  },
  // Without a known user no panel is shown; `useSession` fetches the user again.
  () => undefined,
);

/**
 * The screens under /synapse, and the landing page as the destination after a sign-out. Toasts are outside
 * the router, so that the sign-out message is still shown there.
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

/** The toasts, whose chunk is not part of the first screen. */
function Toasts() {
  const loaded = useObservable(loadedToasts);
  return loaded === null ? <UnloadedToast /> : <loaded.Toasts />;
}
