import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { createPageRouter } from "./router.tsx";
import { Toasts } from "./toasts.tsx";

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
