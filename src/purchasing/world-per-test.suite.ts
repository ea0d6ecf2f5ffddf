import { afterEach } from "vitest";
import { startBuyingWorld, type BuyingWorld } from "./buying-world.suite.ts";

/** Starts a world that ends with its test. */
export function buyingWorldPerTest(): typeof startBuyingWorld {
  let world: BuyingWorld | undefined;
  afterEach(async () => {
    await world?.[Symbol.asyncDispose]();
    world = undefined;
  });
  return async (options) => (world = await startBuyingWorld(options));
}
