import type { FaultKind } from "./fault-kind.ts";
import { lostAnswers } from "./lost-answers.ts";
import { refusing } from "./refusing.ts";
import { slowness } from "./slowness.ts";

/** Every way to go wrong that can be armed. */
export const faultKinds: readonly FaultKind[] = [...slowness, ...lostAnswers, ...refusing];
