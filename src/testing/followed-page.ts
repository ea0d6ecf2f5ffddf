import type { Cluster } from "./cluster.ts";
import type { Person } from "./person.ts";
import type { Tab } from "./tab.ts";

/** A person's page that connects again where it stood whenever it loses its node, as the browser's does. */
export interface FollowedPage {
  /** Settles when it is connected. */
  isOpen(): Promise<void>;
  /** The moments at which this listing came. */
  arrivals(listingId: number): readonly number[];
  close(): void;
}

const AGAIN_AFTER_MS = 250;
const OPEN_POLL_MS = 20;

export function followPage(cluster: Cluster, person: Person): FollowedPage {
  const arrivals = new Map<number, number[]>();
  let cursor: string | undefined;
  let isClosed = false;
  let tab = open();

  function open(): Tab {
    const opened = cluster.openTab(person, cursor === undefined ? {} : { depuis: cursor });
    opened.socket.on("flux_handler", ({ items, curseur }) => {
      cursor = curseur;
      for (const { id } of items) arrivals.set(id, [...(arrivals.get(id) ?? []), Date.now()]);
    });
    const again = (): void => {
      opened.close();
      setTimeout(() => {
        if (!isClosed) tab = open();
      }, AGAIN_AFTER_MS);
    };
    opened.socket.once("disconnect", again);
    opened.socket.once("connect_error", again);
    return opened;
  }

  return {
    async isOpen() {
      while (!tab.socket.connected) await new Promise((resolve) => void setTimeout(resolve, OPEN_POLL_MS));
    },
    arrivals: (id) => arrivals.get(id) ?? [],
    close() {
      isClosed = true;
      tab.close();
    },
  };
}
