import type { Clock } from "#domain/clock.ts";
import type { FaultKind } from "./fault-kind.ts";
import { readFaultOrder, type FaultOrder } from "./fault-order.ts";
import { createHolds, type Holds } from "./holds.ts";
import { strike, type ArmedFault, type RequestFacts } from "./strike.ts";
import { combineTwists, NO_TWISTS, type Twists } from "./twists.ts";

/** The faults that are armed now; gone with the process. */
export interface Faults {
  readonly holds: Holds;
  /** Adds to what is armed. @throws BadFaultOrder */
  arm(body: unknown): FaultOrder;
  /** Ends all, held requests included. */
  clear(): void;
  armed(): readonly ArmedFault[];
  /** What becomes of this request. */
  twistsFor(facts: RequestFacts): Twists;
}

export function createFaults(parts: { kinds: readonly FaultKind[]; clock: Clock; seed: number }): Faults {
  const { clock, seed } = parts;
  const kinds = new Map(parts.kinds.map((kind) => [kind.kind, kind]));
  const holds = createHolds(clock);
  let armed: readonly ArmedFault[] = [];
  let armedCount = 0;
  return {
    holds,
    arm(body) {
      const order = readFaultOrder(body, kinds);
      const kind = kinds.get(order.kind);
      if (kind === undefined) return order;
      armedCount += 1;
      const fault = {
        kind,
        order,
        number: armedCount,
        armedAtMs: clock.nowMs(),
        seenCount: 0,
        struckCount: 0,
      };
      armed = [...armed, fault];
      return order;
    },
    clear() {
      armed = [];
      holds.releaseAll();
    },
    armed: () => armed,
    twistsFor(facts) {
      if (armed.length === 0) return NO_TWISTS;
      const outcome = strike(armed, facts, { seed, nowMs: clock.nowMs() });
      armed = outcome.armed;
      return outcome.strikes.reduce(
        (twists, { fault, hit }) => combineTwists(twists, fault.twist(hit)),
        NO_TWISTS,
      );
    },
  };
}
