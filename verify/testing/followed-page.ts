import type { Cluster } from "./cluster.ts";
import type { Person } from "./person.ts";
import type { Tab } from "./tab.ts";

/** A person's page that connects again where it stood whenever it loses its node, as the browser's does. */
export interface FollowedPage {
  /** Settles when it is connected. */
  isOpen(): Promise<void>;
  /** When this listing came first; undefined: not yet. */
  arrivedAtMs(listingId: number): number | undefined;
  /** How often a listing came again on one connection; a new one may be told again what it had (contract §4). */
  doubledCount(): number;
  close(): void;
}

const AGAIN_AFTER_MS = 250;
const OPEN_POLL_MS = 20;

export function followPage(cluster: Cluster, person: Person): FollowedPage {
  const arrivedAtMs = new Map<number, number>();
  let doubled = 0;
  let cursor: string | undefined;
  let isClosed = false;
  let tab = open();

  function open(): Tab {
    const had = new Set<number>();
    const opened = cluster.openTab(person, cursor === undefined ? {} : { depuis: cursor });
    opened.socket.on("flux_handler", ({ items, curseur }) => {
      cursor = curseur;
      for (const { id } of items) {
        if (had.has(id)) doubled += 1;
        had.add(id);
        if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, Date.now());
      }
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
    arrivedAtMs: (id) => arrivedAtMs.get(id),
    doubledCount: () => doubled,
    close() {
      isClosed = true;
      tab.close();
    },
  };
}
