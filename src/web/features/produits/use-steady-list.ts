import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { LiveFeed } from "../../api/live/live-feed.ts";
import type { StreamItem } from "../../api/live/stream-items.ts";

/** How long after its last movement or touch a hand counts as on its way to a card. */
const HAND_MS = 1_500;
/** Once the list begins further up than this, behind the top bar, the person reads further down. */
const READING_TOP_PX = 24;
/** A card takes no press before it has been in its place for this long. */
const PLACED_MS = 500;
/**
 * The same after a change that no hand asked for, and after a hand has set out within this time of one: a person who
 * looked just before it needs some 300 ms to decide and 300 ms to move. Of a finger's way nothing is seen.
 */
const UNASKED_MS = 1_000;
/** A hand that has rested this long sets out with its next movement. */
const REST_MS = 300;

const HAND_EVENTS = [
  "pointermove",
  "pointerdown",
  "pointerup",
  "pointercancel",
  "keydown",
  "wheel",
  "scroll",
] as const;

interface SteadyList {
  readonly feed: LiveFeed;
  readonly list: RefObject<HTMLElement | null>;
  readonly items: readonly StreamItem[];
  readonly columns: number;
}

/**
 * Keeps the list from selling another article than the one that was aimed at: arrivals are held while a pointer, a
 * finger or the focus is on the list or may be on its way there, and a press on a card that has just come to its place
 * does nothing.
 */
export function useSteadyList({ feed, list, items, columns }: SteadyList): Steadiness {
  const [guard] = useState(createPressGuard);
  useLayoutEffect(() => {
    if (list.current !== null) guard.noteDrawn(list.current);
  }, [guard, list, items, columns]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const hand = watchHand(element, {
      onHolding: feed.setHolding,
      onSetOut: () => {
        if (guard.hasJustChanged()) guard.protect(element, UNASKED_MS);
      },
    });
    const stopListening = feed.items.subscribe(() => guard.noteChange(hand.isNear()));
    const stopWatching = watchMovement(element, () => guard.protect(element, PLACED_MS));
    // A page that was busy drawing gets a press late, when its cards take presses again.
    const refuse = (event: MouseEvent): void => {
      if (event.detail === 0 || !guard.refuses(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    element.addEventListener("click", refuse, { capture: true });
    return () => {
      element.removeEventListener("click", refuse, { capture: true });
      stopWatching();
      stopListening();
      hand.stop();
      guard.stop();
    };
  }, [feed, list, guard]);
  return guard;
}

/**
 * Whether a price has risen so shortly ago that a press may have been meant for the lower one. The list's own guard
 * lets keys through, because a key's card does not change under it; its price may.
 */
export function useRecentRise(amount: string): () => boolean {
  const risenAtMs = useRef(Number.NEGATIVE_INFINITY);
  const shown = useRef(amount);
  useLayoutEffect(() => {
    if (Number(amount) > Number(shown.current)) risenAtMs.current = performance.now();
    shown.current = amount;
  }, [amount]);
  return useCallback(() => performance.now() - risenAtMs.current < UNASKED_MS, []);
}

export interface Steadiness {
  /** Whether a hand that sets out now may have chosen before the list changed without being asked to. */
  readonly hasJustChanged: () => boolean;
}

interface PressGuard extends Steadiness {
  /** The list has changed, but is not drawn yet. */
  readonly noteChange: (wasAsked: boolean) => void;
  /** Cards have moved. */
  readonly noteDrawn: (list: HTMLElement) => void;
  readonly protect: (list: HTMLElement, forMs: number) => void;
  /** Whether a press, by when the hand made it, came while cards took none. */
  readonly refuses: (press: Event) => boolean;
  readonly stop: () => void;
}

/** Marks the list while its cards ignore presses: the style sheet then lets pointer events through to the page. */
function createPressGuard(): PressGuard {
  let untilMs = 0;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let isUnasked = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const protect = (list: HTMLElement, forMs: number): void => {
    untilMs = Math.max(untilMs, performance.now() + forMs);
    // Scrolling comes here in each frame: the same value set again would be matched against the styles again.
    if (list.dataset["unsettled"] === undefined) list.dataset["unsettled"] = "";
    clearTimeout(timer);
    timer = setTimeout(() => delete list.dataset["unsettled"], untilMs - performance.now());
  };

  return {
    hasJustChanged: () => performance.now() - changedAtMs < UNASKED_MS,
    noteChange: (wasAsked) => {
      isUnasked = !wasAsked;
    },
    noteDrawn: (list) => {
      if (isUnasked) changedAtMs = performance.now();
      protect(list, isUnasked ? UNASKED_MS : PLACED_MS);
      isUnasked = false;
    },
    protect,
    refuses: ({ timeStamp }) => timeStamp < untilMs,
    stop: () => clearTimeout(timer),
  };
}

interface Hand {
  readonly isNear: () => boolean;
  readonly stop: () => void;
}

interface HandListeners {
  readonly onHolding: (isHolding: boolean) => void;
  readonly onSetOut: () => void;
}

/** Follows pointer, fingers, keys and scrolling, and says when arrivals are to be held. */
function watchHand(list: HTMLElement, { onHolding, onSetOut }: HandListeners): Hand {
  const ending = new AbortController();
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pointer = NOWHERE;
  let isTouched = false;

  const isNear = (): boolean =>
    isTouched || performance.now() - seenAtMs < HAND_MS || isOver(list, pointer) || isFocused(list);
  const decide = (): void => {
    clearTimeout(timer);
    onHolding(isNear() || list.getBoundingClientRect().top < READING_TOP_PX);
    const restMs = seenAtMs + HAND_MS - performance.now();
    if (restMs > 0) timer = setTimeout(decide, restMs);
  };
  const follow = (event: Event): boolean => {
    if (!(event instanceof PointerEvent)) return true;
    // A finger is nowhere once it is lifted.
    if (event.pointerType === "touch") {
      isTouched = event.type === "pointerdown" || event.type === "pointermove";
      return true;
    }
    const { clientX: x, clientY: y } = event;
    const hasMoved = x !== pointer.x || y !== pointer.y;
    pointer = { x, y };
    return hasMoved || event.type !== "pointermove";
  };
  const note = (event: Event): void => {
    if (!follow(event)) return;
    const restedMs = performance.now() - seenAtMs;
    seenAtMs = performance.now();
    // A pointer moves many times a second: only its first movement changes anything.
    if (restedMs < REST_MS) return;
    onSetOut();
    decide();
  };
  const listen = (type: string, listener: (event: Event) => void): void =>
    document.addEventListener(type, listener, { passive: true, capture: true, signal: ending.signal });
  for (const type of HAND_EVENTS) listen(type, note);
  listen("focusin", decide);
  listen("focusout", decide);
  // The list may also come under a pointer that rests.
  listen("pointerover", (event) => {
    follow(event);
    decide();
  });
  document.documentElement.addEventListener(
    "pointerleave",
    () => {
      pointer = NOWHERE;
    },
    { signal: ending.signal },
  );
  decide();
  return {
    isNear,
    stop: () => {
      clearTimeout(timer);
      ending.abort();
      onHolding(false);
    },
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Outside of every window. */
const NOWHERE: Point = { x: -1, y: -1 };

function isOver(list: HTMLElement, pointer: Point): boolean {
  const { left, right, top, bottom } = list.getBoundingClientRect();
  return pointer.x >= left && pointer.x <= right && pointer.y >= top && pointer.y <= bottom;
}

function isFocused(list: HTMLElement): boolean {
  return list.querySelector(":focus-visible, [data-listing]:focus") !== null;
}

/** Where the list stands in the page, and how high it is. */
function placeOf(list: HTMLElement): string {
  const { top, height } = list.getBoundingClientRect();
  return `${Math.round(top + scrollY)} ${Math.round(height)}`;
}

/** Reports cards that move or are uncovered without a change of the list. */
function watchMovement(list: HTMLElement, onMoved: () => void): () => void {
  const ending = new AbortController();
  const options = { passive: true, capture: true, signal: ending.signal } as const;
  let pointerAt = "";
  document.addEventListener("scroll", onMoved, options);
  document.addEventListener(
    "pointermove",
    ({ clientX, clientY }) => {
      pointerAt = `${clientX} ${clientY}`;
    },
    options,
  );
  // A message that goes uncovers the card below it: the pointer is over that card without having moved.
  document.addEventListener(
    "pointerover",
    ({ target, relatedTarget, clientX, clientY }) => {
      const wasInList = relatedTarget instanceof Node && list.contains(relatedTarget);
      if (
        target instanceof Node &&
        list.contains(target) &&
        !wasInList &&
        pointerAt === `${clientX} ${clientY}`
      )
        onMoved();
    },
    options,
  );
  // The second press of a double click on anything that then goes away.
  document.addEventListener(
    "pointerup",
    ({ target }) => {
      if (!(target instanceof Node) || !list.contains(target)) onMoved();
    },
    options,
  );
  // What grows above the list moves it, and what grows in it moves other cards; what grows below it moves none.
  let place = placeOf(list);
  const observer = new ResizeObserver(() => {
    const before = place;
    place = placeOf(list);
    if (place !== before) onMoved();
  });
  const page = list.closest("main");
  for (const box of [page, list]) if (box !== null) observer.observe(box, { box: "border-box" });
  return () => {
    ending.abort();
    observer.disconnect();
  };
}
