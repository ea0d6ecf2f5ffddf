import type { Clock } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Bus } from "./bus.ts";

const TOPIC = "events";
/** The change is already committed and a request waits for the answer, so publishing waits for Redis only this long. */
const TIMEOUT_MS = 500;

export interface SharedEventsDeps {
  readonly bus: Bus;
  readonly name: string;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  /** All parts of this node have handled an event, `afterMs` after its publication. */
  readonly onDone?: (kind: ProductEvent["kind"], afterMs: number) => void;
}

/**
 * The event bus over all nodes: the publisher's own node has handled the event when the promise settles, the others
 * receive it within milliseconds. Each node handles its own events once.
 */
export async function shareEvents(
  local: EventBus,
  { bus, name, clock, log, onDone = () => undefined }: SharedEventsDeps,
): Promise<EventBus> {
  const publishHere = async (event: ProductEvent, publishedAtMs: number): Promise<void> => {
    await local.publish(event);
    onDone(event.kind, Math.max(0, clock.nowMs() - publishedAtMs));
  };
  await bus.subscribe(TOPIC, (message) => {
    const received = readEvent(message);
    if (received !== null && received.from !== name) void publishHere(received.event, received.atMs);
  });

  async function publishElsewhere(event: ProductEvent, atMs: number): Promise<void> {
    const published = bus
      .publish(TOPIC, JSON.stringify({ from: name, atMs, event }))
      .catch((error: unknown) => {
        // The other nodes read everything again when Redis is back.
        log.warn(
          { event: event.kind, errorName: error instanceof Error ? error.name : "unknown" },
          "an event was not published to the other nodes",
        );
      });
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, TIMEOUT_MS);
    await Promise.race([published, timeout]);
    clearTimeout(timer);
  }

  return {
    async publish(event) {
      const atMs = clock.nowMs();
      await Promise.all([publishHere(event, atMs), publishElsewhere(event, atMs)]);
    },
    subscribe: (listener) => local.subscribe(listener),
  };
}

interface ReceivedEvent {
  readonly from: string;
  /** The time of publication, by the publisher's clock. */
  readonly atMs: number;
  readonly event: ProductEvent;
}

function readEvent(message: string): ReceivedEvent | null {
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
  return value as ReceivedEvent;
}
