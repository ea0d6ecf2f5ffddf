/** What costs much is made for each person one after the other, so that nobody's hundred hold everybody up. */
import { createKeyedQueue } from "#domain/keyed-queue.ts";
import type { RateClass } from "../rate-limits.ts";
import type { App } from "../route-rule.ts";

/** The paces of what costs the store and this process many times what a page costs. */
const HEAVY: ReadonlySet<RateClass | null> = new Set(["list", "history", "preview"]);

export function takeTurns(app: App): void {
  const inTurn = createKeyedQueue();
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    const rule = route.config?.rule;
    if (rule?.isInTurn !== true && !HEAVY.has(rule?.rate ?? null)) return;
    route.handler = async function handleInTurn(request, reply) {
      const { visitor } = request;
      if (visitor === null) throw new Error("what is made in turn is made for somebody");
      return await inTurn(visitor.user.id, async () => await handler.call(this, request, reply));
    };
  });
}
