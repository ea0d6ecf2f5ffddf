import { expect, it } from "vitest";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

const start = buyingWorldPerTest();

it("a refresh of the token that was asked to wait is not repeated by changes of filters and settings", async () => {
  const current = await start();
  const person = await current.person("thunder-limited");
  const filter = await current.autobuyFilter(person);
  await current.sandbox.arm({ route: "refresh", kind: "rate_limit", rate: 1, retry_after: 600 });
  const refusals = () =>
    current.logged.filter(({ message }) => message === "an account could not be prepared").length;
  for (let n = 1; n <= 3; n += 1) {
    const before = refusals();
    await current.events.publish({ kind: "filters_changed", userId: person.id, filterIds: [filter.id] });
    // The orders, then the token.
    await expect.poll(refusals).toBe(before + 2);
  }
  expect((await current.sandbox.requests()).by_route["refresh"]).toBe(1);
});

it("a token is obtained in advance, once", async () => {
  const current = await start();
  const person = await current.person("thunder-warm");
  await current.events.publish({ kind: "settings_changed", userId: person.id });
  await expect
    .poll(async () => (await current.store.accounts.tokens(person.id))?.accessToken ?? null)
    .not.toBeNull();
  expect((await current.sandbox.requests()).by_route["refresh"]).toBe(1);
});
