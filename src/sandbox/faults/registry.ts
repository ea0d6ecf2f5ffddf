import type { FaultKind } from "./fault-kind.ts";
import { feedFaults } from "./feed-faults.ts";
import { garbage } from "./garbage.ts";
import { lostAnswers } from "./lost-answers.ts";
import { orderFaults } from "./order-faults.ts";
import { priceFaults } from "./price-faults.ts";
import { refusing } from "./refusing.ts";
import { rivalry } from "./rivalry.ts";
import { sessionFaults } from "./session-faults.ts";
import { slowness } from "./slowness.ts";

/** Every way to go wrong that can be armed. A new one is an entry in its family's list. */
export const faultKinds: readonly FaultKind[] = [
  ...slowness,
  ...lostAnswers,
  ...refusing,
  ...sessionFaults,
  ...rivalry,
  ...priceFaults,
  ...garbage,
  ...orderFaults,
  ...feedFaults,
];
