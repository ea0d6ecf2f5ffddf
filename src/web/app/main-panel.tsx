/** Where everything under /synapse begins: the router, the component library, and the stream as its first screen. */
import "./early.ts";
import "../api/panel-answers.ts";
import "../ui/colour-scheme.ts";
import "./panel.css";
import { useNotifications } from "@mantine/notifications";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState, type ComponentType } from "react";
import { readPanel, queries } from "../api/queries.ts";
import { noteForgottenSignIn } from "../api/session.ts";
import { keepSharedFilter } from "../api/shared-filter.ts";
import { createPageRouter } from "./router.tsx";
import { start } from "./start.tsx";

/** Long enough for the first screen to have all it asked for. */
const TOASTS_AHEAD_MS = 5_000;
const RETRY_MS = 2_000;

// Before the router reads the address.
keepSharedFilter();
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

/** The messages wait in their store until their code is there. */
function Toasts() {
  const { notifications } = useNotifications();
  const LoadedToasts = useLoadedToasts(notifications.length > 0);
  return LoadedToasts === null ? null : <LoadedToasts />;
}

/** The code of the messages, asked for ahead, and again until it came: the server may be restarting. */
function useLoadedToasts(isWanted: boolean): ComponentType | null {
  const [loaded, setLoaded] = useState<{ readonly Toasts: ComponentType } | null>(null);
  const isLoaded = loaded !== null;
  useEffect(() => {
    if (isLoaded) return undefined;
    let timer = setTimeout(load, isWanted ? 0 : TOASTS_AHEAD_MS);
    let isOver = false;
    function load(): void {
      import("./toasts.tsx").then(
        ({ Toasts: LoadedToasts }) => setLoaded({ Toasts: LoadedToasts }),
        () => {
          if (!isOver) timer = setTimeout(load, RETRY_MS);
        },
      );
    }
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isLoaded, isWanted]);
  return loaded?.Toasts ?? null;
}
