import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call, errorText } from "../api/client.ts";
import type { LiveFeed } from "../api/live-feed.ts";
import { queries } from "../api/queries.ts";
import { showToast } from "../ui/toast.tsx";

const QUESTION = "Voulez-vous vraiment vous déconnecter ?";

/** Asks, ends the session, and empties everything that the page remembers of the person. */
export function useSignOut(feed: LiveFeed): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    if (!window.confirm(QUESTION)) return;
    try {
      const { message } = await call("signOut");
      // Black first, and all that was read is forgotten with the person.
      client.setQueryData(queries.user.queryKey, null);
      feed.forget();
      showToast({ message, tone: "neutral" });
      await navigate({ to: "/" });
    } catch (error) {
      showToast({ message: errorText(error), tone: "bad" });
    }
  };
}
