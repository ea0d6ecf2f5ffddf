import { useEffect, type RefObject } from "react";
import type { LiveFeed } from "../../api/live-feed.ts";

/** Once the list begins further up than this, behind the top bar, a person reads: nothing may move under the eye. */
const READING_TOP_PX = 24;
/** How long a finger or a pointer that just left a button still counts. */
const RELEASE_DELAY_MS = 700;
/** What shows that a hand is at work, the pointer's travel towards a card too. */
const HAND_EVENTS = ["pointerdown", "pointermove", "keydown", "wheel", "scroll"] as const;

/**
 * Holds back arrivals while the person reads further down, while a pointer is on a button that pays, and while a card
 * is chosen with the keyboard: a list that moves under the finger buys the wrong thing. What a hand does is drawn before
 * arrivals.
 */
export function useReadingHold(feed: LiveFeed, list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    let isAiming = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const decide = (): void => {
      const hasKeyboardFocus = Boolean(element?.querySelector(":focus-visible, [data-listing]:focus"));
      const isReading = element !== null && element.getBoundingClientRect().top < READING_TOP_PX;
      feed.setHolding(isReading || isAiming || hasKeyboardFocus);
    };
    const onPointer = (event: Event): void => {
      const isOnButton = event.target instanceof Element && event.target.closest("[data-hold]") !== null;
      if (isOnButton) {
        clearTimeout(timer);
        isAiming = true;
        decide();
      } else if (isAiming) {
        release();
      }
    };
    const release = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isAiming = false;
        decide();
      }, RELEASE_DELAY_MS);
    };
    const noteHand = (): void => feed.noteHand();
    for (const type of HAND_EVENTS)
      document.addEventListener(type, noteHand, { passive: true, capture: true });
    window.addEventListener("scroll", decide, { passive: true });
    document.addEventListener("focusin", decide);
    document.addEventListener("focusout", decide);
    document.addEventListener("pointerover", onPointer, { passive: true });
    document.addEventListener("pointerdown", onPointer, { passive: true });
    document.addEventListener("pointercancel", release, { passive: true });
    decide();
    return () => {
      clearTimeout(timer);
      for (const type of HAND_EVENTS) document.removeEventListener(type, noteHand, { capture: true });
      window.removeEventListener("scroll", decide);
      document.removeEventListener("focusin", decide);
      document.removeEventListener("focusout", decide);
      document.removeEventListener("pointerover", onPointer);
      document.removeEventListener("pointerdown", onPointer);
      document.removeEventListener("pointercancel", release);
      feed.setHolding(false);
    };
  }, [feed, list]);
}
