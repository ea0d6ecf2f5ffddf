/**
 * Whether the document itself was loaded at `/`, and not reached later by a client navigation.
 * @param documentAddress what the browser names as the address that it loaded; one that cannot be read counts as `/`
 */
export function isLoadOfLanding(documentAddress: string): boolean {
  return !URL.canParse(documentAddress) || new URL(documentAddress).pathname === "/";
}

/** Asks at most once until the document is loaded anew. */
export interface ArrivalQuestion {
  /**
   * To be told of the level as soon as it is known; the first one decides, later ones change nothing.
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
