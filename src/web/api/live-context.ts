import { createContext, use } from "react";
import type { LiveFeed } from "./live-feed.ts";

const LiveFeedContext = createContext<LiveFeed | null>(null);

export const LiveFeedProvider = LiveFeedContext.Provider;

/** The page's live connection; there is one as soon as the panel is open. */
export function useLiveFeed(): LiveFeed {
  const feed = use(LiveFeedContext);
  if (feed === null) throw new Error("useLiveFeed() outside the panel");
  return feed;
}
