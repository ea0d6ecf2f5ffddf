import { describe, expect, it } from "vitest";
import { asUserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { ExchangeAnswer } from "#marketplace/exchange.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import type { AccountTokens } from "#store/purchase-facts.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createAccountCalls } from "./account-sessions.ts";

const USER = asUserId("user-1");
const SESSION: AccountTokens & { readonly accessToken: Secret } = {
  refreshToken: new Secret("refresh"),
  accessToken: new Secret("access"),
  accessExpiresAtMs: Infinity,
  generation: 1,
  state: "connected",
  connectedAtMs: 0,
  ordersSinceMs: 0,
  askedToWaitUntilMs: 0,
};
const TOO_MANY: ExchangeAnswer = {
  status: 429,
  retryAfter: "60",
  text: JSON.stringify({ code: 106, message_code: "too_many_requests", message: "", errors: [] }),
};

describe("calls in one account's session", () => {
  it("that are queued are not sent once the marketplace has asked to wait", async () => {
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
      sessions: { withAccess: (_user, call) => call(new Secret("access")) },
      clock,
      log: createQuietLog(),
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

  it("wait for the longest Retry-After of concurrent calls", async () => {
    const clock = new FakeClock();
    const pausesMs: number[] = [];
    const calls = createAccountCalls({
      sessions: { withAccess: (_user, call) => call(new Secret("access")) },
      clock,
      log: createQuietLog(),
      onBlocked: async () => undefined,
      onPaused: async (_user, untilMs) => void pausesMs.push(untilMs - clock.nowMs()),
    });
    const refused = async (retryAfterMs: number | null) => {
      await Promise.resolve();
      throw new MarketplaceError("rate_limited", { retryAfterMs });
    };
    const call = (retryAfterMs: number | null) =>
      calls.call(USER, () => refused(retryAfterMs), { retryOn401: false }).catch(() => undefined);
    await Promise.all([call(600_000), call(null), call(2_000)]);
    expect(pausesMs).toEqual([600_000, 1_000, 2_000]);
    await clock.advance(599_000);
    let hasLeft = false;
    const next = calls.call(USER, async () => void (hasLeft = true), { retryOn401: false });
    await expect(next).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 1_000 });
    expect(hasLeft).toBe(false);
  });

  it("send nothing while the session says that an earlier process was asked to wait, which is no new answer", async () => {
    const clock = new FakeClock();
    const tokens = { ...SESSION, askedToWaitUntilMs: clock.nowMs() + 60_000 };
    const pausesMs: number[] = [];
    const calls = createAccountCalls({
      sessions: {
        async withAccess(_user, call, { mayUse }) {
          mayUse?.(tokens);
          return await call(tokens.accessToken);
        },
      },
      clock,
      log: createQuietLog(),
      onBlocked: async () => undefined,
      onPaused: async (_user, untilMs) => void pausesMs.push(untilMs),
    });
    let sentCount = 0;
    const call = () => calls.call(USER, async () => void (sentCount += 1), { retryOn401: true });
    await expect(call()).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 60_000 });
    await clock.advance(59_999);
    await expect(call()).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 1 });
    expect([sentCount, pausesMs]).toEqual([0, []]);
    await clock.advance(1);
    await call();
    expect(sentCount).toBe(1);
  });

  it("report what the marketplace answered also if its pause of the account cannot be stored", async () => {
    const calls = createAccountCalls({
      sessions: { withAccess: (_user, call) => call(new Secret("access")) },
      clock: new FakeClock(),
      log: createQuietLog(),
      onBlocked: async () => await Promise.reject(new Error("the store is away")),
      onPaused: async () => undefined,
    });
    const blocked = async () => await Promise.reject(new MarketplaceError("blocked"));
    await expect(calls.call(USER, blocked, { retryOn401: true })).rejects.toMatchObject({ code: "blocked" });
  });
});
