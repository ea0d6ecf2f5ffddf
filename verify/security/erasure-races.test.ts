import { expect, test } from "vitest";
import { z } from "zod";
import { DELETE_WORD } from "#contract/bounds.ts";
import type { Person } from "#verify/testing/person.ts";
import { startWorld } from "#verify/testing/world.ts";
import { figure, sized } from "./figures.ts";

/**
 * People delete their account while work is in flight. Either that succeeds and nothing is paid afterwards,
 * or the account stays until the work has settled, and its owner can sign in and see it.
 */
const PEOPLE = sized(12, 200);
/** Within the payment's deadline; clearing the faults ends it. */
const HELD_MS = 10_000;
const CONFIRMATION = { confirmation: DELETE_WORD };

const shown = z.object({ user: z.object({ level: z.number() }).nullable() });

test("a person who deletes their account while buying is either erased and pays nothing, or stays and sees the purchase", async () => {
  await using world = await startWorld({ env: { RATE_LIMITS: "off" } });
  const tally = { gone: 0, stayed: 0 };

  async function meet(index: number): Promise<void> {
    const name = `acquire-parti${index}`;
    const isHeld = index % 2 === 1;
    const person = await world.signIn(name);
    await person.call("addFilter", { tag: "Suivi", mots: [`parti${index}x`], limit: 50 });
    const item = await publishTo(person, `Robe parti${index}x`);
    const paymentsBefore = await paymentCalls();
    if (isHeld)
      await world.sandbox.arm({ kind: "latency", route: "payment", rate: 1, count: 1, delay_ms: HELD_MS });
    const askToDelete = () => person.raw("POST", "/auth/delete", CONFIRMATION);
    // Those whose payment is not held delete just before the click, just after it, or after its answer.
    const early = index % 6 === 0 ? askToDelete() : undefined;
    const clicking = person.raw("POST", "/purchase/click", { id: item });
    if (isHeld) await expect.poll(paymentCalls).toBeGreaterThan(paymentsBefore);
    else if (index % 6 === 4) await clicking;
    else await new Promise((resolve) => setTimeout(resolve, index % 12));
    const deletion = await (early ?? askToDelete());
    await world.sandbox.clearFaults();
    const click = await clicking;
    expect(isHeld ? [409] : [200, 409], JSON.stringify(deletion.body)).toContain(deletion.status);
    expect(click.status, JSON.stringify(click.body)).not.toBe(500);
    if (deletion.status === 200) await expectGone(person, { index, isBought: click.status === 200 });
    else await expectStayed(index, item);
    tally[deletion.status === 200 ? "gone" : "stayed"] += 1;
  }

  async function paymentCalls(): Promise<number> {
    return (await world.sandbox.requests()).by_route["payment"] ?? 0;
  }

  /** Settles when the person's page shows it. @returns its id */
  async function publishTo(person: Person, title: string): Promise<number> {
    const tab = world.openTab(person);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [published] = await world.sandbox.publish({ title, price: 10 });
    const id = published?.id ?? 0;
    await expect.poll(() => tab.items.map((item) => item.id)).toContain(id);
    tab.close();
    return id;
  }

  async function expectGone(person: Person, { index, isBought }: { index: number; isBought: boolean }) {
    expect(shown.parse((await person.raw("GET", "/auth/user")).body).user).toBeNull();
    const own = (await world.sandbox.orders()).filter(({ account }) => account === `acquire-parti${index}`);
    expect(own.filter(({ payments }) => payments > 0)).toHaveLength(isBought ? 1 : 0);
  }

  /** The person signs in again, sees the purchase, and may buy and delete the account as before. */
  async function expectStayed(index: number, itemId: number) {
    const again = await world.signIn(`acquire-parti${index}`);
    expect(shown.parse((await again.raw("GET", "/auth/user")).body).user?.level).toBe(1);
    const settled = async (): Promise<readonly number[]> =>
      (await again.call("purchases")).purch
        .filter(({ product }) => product.id === itemId)
        .map(({ status }) => status);
    await expect.poll(settled).not.toContain(2);
    // Purchases stopped before their payment are cancelled.
    const paid = (await world.sandbox.orders()).filter(
      ({ item_id, payments }) => item_id === itemId && payments > 0,
    );
    expect((await settled()).filter((status) => status === 1)).toHaveLength(paid.length);
    const further = await publishTo(again, `Jupe parti${index}x`);
    const click = await again.raw("POST", "/purchase/click", { id: further });
    expect(click.status, JSON.stringify(click.body)).toBe(200);
    await expect.poll(async () => (await again.raw("POST", "/auth/delete", CONFIRMATION)).status).toBe(200);
  }

  for (let index = 0; index < PEOPLE; index += 1) await meet(index);
  expect(tally.gone).toBeGreaterThan(0);
  expect(tally.stayed).toBeGreaterThan(0);
  // A click on a stopped account gets 503, which is a warning.
  const failures = world.logged.filter(({ level }) => level === "error");
  expect(failures).toEqual([]);
  figure(
    "data rights",
    `${PEOPLE} deletions in the midst of a purchase: ${tally.gone} gone, ${tally.stayed} stayed until it was settled, 0 locked out, 0 paid for nobody`,
  );
});
