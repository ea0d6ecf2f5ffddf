import { describe, expect, it } from "vitest";
import { asUserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import type { ExchangeAnswer } from "#marketplace/exchange.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { FakeClock } from "#testing/fake-clock.ts";
import { createAccountCalls } from "./account-calls.ts";

const USER = asUserId("user-1");
const TOO_MANY: ExchangeAnswer = {
  status: 429,
  retryAfter: "60",
  text: JSON.stringify({ code: 106, message_code: "too_many_requests", message: "", errors: [] }),
};

describe("calls in one account's session", () => {
  it("that wait for their turn do not leave when the marketplace asks to wait meanwhile", async () => {
    const clock = new FakeClock();
    const leftAtMs: number[] = [];
    const marketplace = createHttpMarketplace({
      origin: "http://market.invalid",
      userAgent: "tests",
      clock,
      budget: createRequestBudget(clock, {
        read: { perSecond: 1, burst: 1 },
        buy: { perSecond: 1, burst: 1 },
      }),
      exchange: {
        async send() {
          leftAtMs.push(clock.nowMs());
          return TOO_MANY;
        },
        [Symbol.asyncDispose]: async () => undefined,
      },
    });
    const calls = createAccountCalls({
      sessions: { withAccess: (_user, call) => call(new Secret("access")), warm: async () => undefined },
      clock,
      onBlocked: async () => undefined,
      onPaused: async () => undefined,
    });
    const read = () =>
      calls.call(USER, (access) => marketplace.orders(access, 1), { retryOn401: true }).catch(String);
    const both = Promise.all([read(), read()]);
    const startMs = clock.nowMs();
    await clock.advance(2_000);
    expect(await both).toEqual([
      expect.stringMatching("rate_limited"),
      expect.stringMatching("rate_limited"),
    ]);
    expect(leftAtMs).toEqual([startMs]);
  });
});
