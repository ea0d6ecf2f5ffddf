import type { FaultKind } from "./injection.ts";
import { feedFaults } from "./catalogue-faults.ts";
import { garbage } from "./malformed-answers.ts";
import { lostAnswers, slowness } from "./network-faults.ts";
import { orderFaults } from "./order-faults.ts";
import { priceFaults, rivalry } from "./listing-faults.ts";
import { refusing, sessionFaults } from "./access-faults.ts";

/** All kinds of faults. Add a new one to the list of its family. */
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
