import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { startTransition, StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { logFailure } from "../api/log.ts";
import { createQueryClient } from "../api/query-client.ts";
import { userQuery } from "../api/session.ts";

/** Draws a world into the document, and asks who is here while it is being drawn; answers what the page remembers. */
export function start(world: ReactNode): QueryClient {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  const queryClient = createQueryClient();
  void queryClient.prefetchQuery(userQuery);
  // As a transition the first drawing is cut into slices, so that a slow phone answers meanwhile.
  startTransition(() => {
    createRoot(root, { onCaughtError: logDrawing, onUncaughtError: logDrawing }).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>{world}</QueryClientProvider>
      </StrictMode>,
    );
  });
  return queryClient;
}

function logDrawing(error: unknown): void {
  logFailure("a part could not be drawn", { error: error instanceof Error ? error.name : typeof error });
}
