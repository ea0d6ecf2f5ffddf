import { afterAll, beforeAll, expect, test } from "vitest";
import { beginBattle, VECTORS, type AttackWorld } from "./attackers.ts";
import { figure, sized } from "./figures.ts";

/**
 * The same without fetch metadata, as from old browsers: the Strict cookie, `Origin` and `Referer` remain.
 * Daily runs use the most different vectors; `--deep` uses all.
 */
const vectors =
  sized(0, 1) === 1 ? VECTORS : (["image", "no-cors fetch", "form, text", "WebSocket"] as const);

let world: AttackWorld;

beforeAll(async () => {
  world = await beginBattle(false);
});
afterAll(() => world[Symbol.asyncDispose]());

test("a browser that sends no fetch metadata cannot be used for attacks either", async () => {
  const { victim, attackers, targets } = world;
  const before = await victim.state();
  for (const attacker of attackers) {
    for (const vector of vectors) {
      const stolen = await world.attack(attacker, vector);
      expect(await victim.state(), `${vector} from ${attacker.name}`).toEqual(before);
      expect(stolen.join(""), `${vector} from ${attacker.name}`).toBe("");
    }
  }
  const tried = vectors.length * attackers.length * targets.length;
  figure(
    "browser attacks",
    `${tried} forged requests without fetch metadata (${vectors.length} vectors x ${attackers.length} attackers x ${targets.length} targets): 0 state changes, 0 bytes read`,
  );
});
