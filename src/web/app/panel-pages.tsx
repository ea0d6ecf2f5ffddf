import { useNotifications } from "@mantine/notifications";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { createPageRouter } from "./router.tsx";

const loadToasts = async () => ({ default: (await import("./toasts.tsx")).Toasts });
const LazyToasts = lazy(loadToasts);
/** Long enough for the first screen to have all it asked for. */
const TOASTS_AHEAD_MS = 5_000;

/**
 * The screens under /synapse, and the landing page as the place to go after a logout. Messages stand outside the
 * screens, so that the goodbye is still read there.
 */
export function PanelPages() {
  const [router] = useState(createPageRouter);
  return (
    <>
      <RouterProvider router={router} />
      <Toasts />
    </>
  );
}

/** The messages, once there is one: it waits in their store until their code, asked for ahead, is there. */
function Toasts() {
  const { notifications } = useNotifications();
  const [wereWanted, setWereWanted] = useState(false);
  if (notifications.length > 0 && !wereWanted) setWereWanted(true);
  useEffect(() => {
    const timer = setTimeout(() => void loadToasts(), TOASTS_AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!wereWanted) return null;
  return (
    <Suspense>
      <LazyToasts />
    </Suspense>
  );
}
