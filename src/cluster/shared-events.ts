import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Bus } from "./bus.ts";

const TOPIC = "events";
/** Who publishes has committed already, and somebody waits for the answer: Redis may take this long, then goes on. */
const PATIENCE_MS = 500;

/**
 * The event bus over all nodes: a publisher's own node has dealt with the event when its promise settles, the others
 * have it within milliseconds. Each node hears its own events once.
 */
export async function shareEvents(
  local: EventBus,
  { bus, name, log }: { readonly bus: Bus; readonly name: string; readonly log: Log },
): Promise<EventBus> {
  await bus.hear(TOPIC, (message) => {
    const heard = readEvent(message);
    if (heard !== null && heard.from !== name) void local.publish(heard.event);
  });

  async function tell(event: ProductEvent): Promise<void> {
    const told = bus.tell(TOPIC, JSON.stringify({ from: name, event })).catch((error: unknown) => {
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
      await Promise.all([local.publish(event), tell(event)]);
    },
    subscribe: (listener) => local.subscribe(listener),
  };
}

interface HeardEvent {
  readonly from: string;
  readonly event: ProductEvent;
}

function readEvent(message: string): HeardEvent | null {
  const value: unknown = JSON.parse(message);
  if (typeof value !== "object" || value === null || !("from" in value) || !("event" in value)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above, by a node of the same shape
  return value as HeardEvent;
}
