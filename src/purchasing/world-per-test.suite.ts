import { afterEach, vi } from "vitest";
import { startBuyingWorld, type BuyingWorld } from "./buying-world.suite.ts";

/** Starts a world that ends with its test. */
export function buyingWorldPerTest(): typeof startBuyingWorld {
  // Opening a world may take seconds on a busy machine.
  vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
  let world: BuyingWorld | undefined;
  afterEach(async () => {
    await world?.[Symbol.asyncDispose]();
    world = undefined;
  });
  return async (options) => (world = await startBuyingWorld(options));
}
