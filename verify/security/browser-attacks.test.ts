import { afterAll, beforeAll, expect, test } from "vitest";
import { beginBattle, VECTORS, type AttackWorld, type Target } from "./attackers.ts";
import { figure } from "./figures.ts";

let world: AttackWorld;

beforeAll(async () => {
  world = await beginBattle(true);
});
afterAll(() => world[Symbol.asyncDispose]());

test("no page of somebody else changes or reads anything", async () => {
  const { victim, attackers, targets } = world;
  const before = await victim.state();
  const counts = { tried: 0, logouts: 0, changed: 0, bytesRead: 0 };
  for (const attacker of attackers) {
    for (const vector of VECTORS) {
      const stolen = await world.attack(attacker, vector);
      const after = await victim.state();
      expect(after, `${vector} from ${attacker.name}`).toEqual(before);
      expect(stolen.join(""), `${vector} from ${attacker.name}`).toBe("");
      counts.tried += targets.length;
      counts.logouts += 1;
      counts.bytesRead += stolen.join("").length;
    }
  }
  expect(counts.tried).toBe(VECTORS.length * attackers.length * targets.length);
  figure(
    "browser attacks",
    `${counts.tried} forged requests (${VECTORS.length} vectors x ${attackers.length} attackers x ${targets.length} targets): ${counts.changed} state changes, ${counts.bytesRead} bytes read; ${counts.logouts} forged logouts: 0 effect; all ${world.reached.size} ways were seen to send`,
  );
});

test("the product's own page can do and read what the others could not", async () => {
  const { victim, context, url } = world;
  const before = await victim.state();
  const page = await context.newPage();
  await page.goto(`${url}/cgu`);
  const own = async (target: Target): Promise<string> =>
    await page.evaluate(async ({ method, path, body }) => {
      const response = await fetch(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return await response.text();
    }, target);
  expect(await own({ method: "GET", path: "/vinted/token" })).toMatch(/^\{"token":"[\w-]{8,}"\}$/);
  await own({ method: "GET", path: "/purchase/delete" });
  await own({ method: "POST", path: "/filtres/add", body: { tag: "mine" } });
  const after = await victim.state();
  expect(after.filters).not.toEqual(before.filters);
  expect(after.purchases).not.toEqual(before.purchases);
  expect(after.tokensShown).toBe(before.tokensShown + 1);
  expect(await own({ method: "GET", path: "/auth/out" })).toContain("déconnecté");
  await expect(victim.state()).rejects.toThrow("no session");
});
