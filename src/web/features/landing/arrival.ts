/** The question that a subscriber is asked on arrival. */
import { useEffect } from "react";
import type { Session } from "../../api/session.ts";

/**
 * Whether the document itself was loaded at `/`, and not reached later by a client navigation.
 * @param documentAddress what the browser names as the address that it loaded; one that cannot be read counts as `/`
 */
export function isLoadOfLanding(documentAddress: string): boolean {
  return !URL.canParse(documentAddress) || new URL(documentAddress).pathname === "/";
}

/** Asks at most once per load of the document. */
interface ArrivalQuestion {
  /**
   * Called with the level as soon as it is known; only the first call counts.
   * @returns whether to leave for the panel
   */
  settle(level: number): boolean;
}

export function createArrivalQuestion(isLanding: boolean, confirm: () => boolean): ArrivalQuestion {
  let isSettled = !isLanding;
  return {
    settle(level) {
      if (isSettled) return false;
      isSettled = true;
      return level > 0 && confirm();
    },
  };
}

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
