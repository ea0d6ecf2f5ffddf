import type { Clock } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Bus } from "./bus.ts";

const TOPIC = "events";
/** Who publishes has committed already, and somebody waits for the answer: Redis may take this long, then goes on. */
const PATIENCE_MS = 500;

export interface SharedEventsDeps {
  readonly bus: Bus;
  readonly name: string;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  /** Every part of this node has dealt with an event, so long after it was told on its node. */
  readonly onDone?: (kind: ProductEvent["kind"], afterMs: number) => void;
}

/**
 * The event bus over all nodes: a publisher's own node has dealt with the event when its promise settles, the others
 * have it within milliseconds. Each node hears its own events once.
 */
export async function shareEvents(
  local: EventBus,
  { bus, name, clock, log, onDone = () => undefined }: SharedEventsDeps,
): Promise<EventBus> {
  const publishHere = async (event: ProductEvent, toldAtMs: number): Promise<void> => {
    await local.publish(event);
    onDone(event.kind, Math.max(0, clock.nowMs() - toldAtMs));
  };
  await bus.hear(TOPIC, (message) => {
    const heard = readEvent(message);
    if (heard !== null && heard.from !== name) void publishHere(heard.event, heard.atMs);
  });

  async function tell(event: ProductEvent, atMs: number): Promise<void> {
    const told = bus.tell(TOPIC, JSON.stringify({ from: name, atMs, event })).catch((error: unknown) => {
      // The other nodes read everything again when Redis is back.
      log.warn(
        { event: event.kind, errorName: error instanceof Error ? error.name : "unknown" },
        "an event stayed here",
      );
    });
    const { promise: impatience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    await Promise.race([told, impatience]);
    clearTimeout(timer);
  }

  return {
    async publish(event) {
      const atMs = clock.nowMs();
      await Promise.all([publishHere(event, atMs), tell(event, atMs)]);
    },
    subscribe: (listener) => local.subscribe(listener),
  };
}

interface HeardEvent {
  readonly from: string;
  /** When it was told, by the teller's clock. */
  readonly atMs: number;
  readonly event: ProductEvent;
}

function readEvent(message: string): HeardEvent | null {
  const value: unknown = JSON.parse(message);
  if (
    typeof value !== "object" ||
    value === null ||
    !("from" in value) ||
    !("atMs" in value) ||
    !("event" in value)
  )
    return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above, by a node of the same shape
  return value as HeardEvent;
}
