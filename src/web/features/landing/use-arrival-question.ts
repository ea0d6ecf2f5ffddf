import { useEffect } from "react";
import type { Session } from "../../api/session.ts";
import { createArrivalQuestion, isLoadOfLanding, type ArrivalQuestion } from "./arrival.ts";

const PANEL_PATH = "/synapse/articles";

// One for the whole life of the document: coming back by a client navigation does not ask again.
let question: ArrivalQuestion | undefined;

/** On arrival, offers a subscriber the way to the panel (specification §2). */
export function useArrivalQuestion({ isKnown, user }: Session): void {
  const level = user?.level ?? 0;
  useEffect(() => {
    if (!isKnown) return;
    question ??= createArrivalQuestion(isLoadOfLanding(loadedAddress()), () =>
      window.confirm("Aller au Synapse ?"),
    );
    if (question.settle(level)) window.location.assign(PANEL_PATH);
  }, [isKnown, level]);
}

/** The address that the browser loaded; unlike `location`, a client navigation leaves it as it was. */
function loadedAddress(): string {
  return performance.getEntriesByType("navigation")[0]?.name ?? window.location.href;
}
