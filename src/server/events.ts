import { describeError, type Log } from "#domain/log.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";

type Listener = (event: ProductEvent) => void | Promise<void>;

/** The event bus of this process. */
export function createEventBus(log: Log): EventBus {
  const listeners = new Set<Listener>();

  async function notify(listener: Listener, event: ProductEvent): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      log.error({ event: event.kind, ...describeError(error) }, "a subscriber failed on an event");
    }
  }

  return {
    async publish(event) {
      await Promise.all(Array.from(listeners, (listener) => notify(listener, event)));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
