/** Runs each person's expensive requests one at a time, so that one person's hundred do not delay everybody. */
import { createKeyedQueue } from "#domain/keyed-queue.ts";
import type { RateClass } from "../rate-limits.ts";
import type { App } from "../route-rule.ts";

/** The rate classes of requests that cost many times as much as others. */
const HEAVY: ReadonlySet<RateClass | null> = new Set(["list", "history", "preview"]);

export function takeTurns(app: App): void {
  const inTurn = createKeyedQueue();
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    const rule = route.config?.rule;
    if (rule?.isInTurn !== true && !HEAVY.has(rule?.rate ?? null)) return;
    route.handler = async function handleInTurn(request, reply) {
      const { visitor } = request;
      if (visitor === null) throw new Error("a request that takes turns needs a session");
      return await inTurn(visitor.user.id, async () => await handler.call(this, request, reply));
    };
  });
}
