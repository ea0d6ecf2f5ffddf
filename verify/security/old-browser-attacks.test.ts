import { afterAll, beforeAll, expect, test } from "vitest";
import { beginBattle, VECTORS, type Battle } from "./attackers.ts";
import { figure, sized } from "./figures.ts";

/**
 * The same without fetch metadata, as from old browsers: the Strict cookie, `Origin` and `Referer` remain.
 * Daily runs use the most different vectors; `--deep` uses all.
 */
const vectors =
  sized(0, 1) === 1 ? VECTORS : (["image", "no-cors fetch", "form, text", "WebSocket"] as const);

let battle: Battle;

beforeAll(async () => {
  battle = await beginBattle(false);
});
afterAll(() => battle[Symbol.asyncDispose]());

test("a browser that sends no fetch metadata is no way in either", async () => {
  const { victim, attackers, targets } = battle;
  const before = await victim.state();
  for (const attacker of attackers) {
    for (const vector of vectors) {
      const loot = await battle.attack(attacker, vector);
      expect(await victim.state(), `${vector} from ${attacker.name}`).toEqual(before);
      expect(loot.join(""), `${vector} from ${attacker.name}`).toBe("");
      await battle.probe(attacker, vector);
    }
  }
  const tried = vectors.length * attackers.length * targets.length;
  figure(
    "browser attacks",
    `${tried} forged requests without fetch metadata (${vectors.length} vectors x ${attackers.length} attackers x ${targets.length} targets): 0 state changes, 0 bytes read`,
  );
});
