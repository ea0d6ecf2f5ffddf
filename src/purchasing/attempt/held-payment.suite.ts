import type { BuyingWorldOptions, Call } from "../buying-world.suite.ts";

/** A payment that is held after its commit and before its first byte. */
export interface HeldPayment {
  /** Options to start the world with. */
  readonly options: Required<Pick<BuyingWorldOptions, "intercept" | "beforeAccess">>;
  readonly isHeld: Promise<void>;
  readonly release: () => void;
  /** Every call of the marketplace, in order. */
  readonly calls: readonly Call[];
}

/** Holds the first payment that is about to be sent, and no other. */
export function aHeldPayment(): HeldPayment {
  const calls: Call[] = [];
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let hasHeld = false;
  return {
    calls,
    isHeld,
    release,
    options: {
      intercept: async (name, call) => {
        calls.push(name);
        return await call();
      },
      beforeAccess: async () => {
        // The next access after the turn to pay is the payment's.
        if (hasHeld || calls.at(-1) !== "turnToPay") return;
        hasHeld = true;
        held();
        await isReleased;
      },
    },
  };
}
