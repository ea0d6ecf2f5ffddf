/**
 * What nodes say to one another, as texts. Two ways: told, which every listener of every node hears in one order,
 * and given, which one worker takes over and finishes. Whoever is heard twice says nothing new: a message may
 * arrive again after a node or Redis itself went away, so whatever it causes must bear repetition.
 * What no node of ours said is neither heard nor worked at (signatures.ts).
 */
export interface Bus {
  /** Settles once it cannot be lost by the end of this node. */
  tell(topic: string, message: string): Promise<void>;
  /** Every message from `sinceMs` on (of Redis's clock; absent: from now on), in order. The answer ends it. */
  hear(topic: string, listener: BusListener, sinceMs?: number): Promise<() => void>;
  /** Settles once a worker will have it, whatever becomes of this node. */
  give(topic: string, message: string): Promise<void>;
  /**
   * Takes given messages; other workers of the topic take others. One whose `work` fails, or whose worker is gone, is
   * taken up again, here or elsewhere. The answer ends it and waits for what is under way.
   */
  work(topic: string, worker: Worker): Promise<() => Promise<void>>;
  /** Milliseconds of the clock that orders what is told. */
  nowMs(): Promise<number>;
}

/**
 * @param place where the message stands among those told with places (places.ts); null for the others
 * @param toldAtMs by the clock that orders what is told
 */
export type BusListener = (message: string, place: string | null, toldAtMs: number) => void;

export interface Worker {
  readonly take: (message: string) => Promise<void>;
  /** A worker that says nothing for so long counts as gone. */
  readonly silenceMs: number;
}
