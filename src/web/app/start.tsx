import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { startTransition, StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { logFailure } from "../api/log.ts";
import { createQueryClient } from "../api/query-client.ts";
import { userQuery } from "../api/session.ts";

/** Renders a page into #root and prefetches the user meanwhile; returns the page's query client. */
export function start(world: ReactNode): QueryClient {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  const queryClient = createQueryClient();
  void queryClient.prefetchQuery(userQuery);
  // As a transition the first render is time-sliced, so that a slow phone stays responsive.
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
