import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "../api/query-client.ts";
import { queries } from "../api/queries.ts";

/** Draws a world into the document, and asks who is here while it is being drawn. */
export function start(world: ReactNode): void {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  const queryClient = createQueryClient();
  void queryClient.prefetchQuery(queries.user);
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>{world}</QueryClientProvider>
    </StrictMode>,
  );
}
