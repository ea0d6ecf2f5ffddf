import { useEffect, useLayoutEffect, useState, type RefObject } from "react";
import type { LiveFeed } from "../../api/live/live-feed.ts";
import type { StreamItem } from "../../api/live/stream-items.ts";

/** Arrivals are held for this long after the last input event: the user may be aiming at a card. */
const HOLD_AFTER_INPUT_MS = 1_500;
/** With the list's top above this, behind the top bar, the user reads further down: arrivals are held. */
const READING_TOP_PX = 24;
/** Cards ignore clicks until they have been in their place for this long. */
const PLACED_MS = 500;
/**
 * Replaces PLACED_MS after a change that no input caused, and for a movement that starts this soon after one:
 * a person needs about 300 ms to decide and 300 ms to move, and a finger sends no event before it touches.
 */
const UNPROMPTED_MS = 1_000;
/** After this long without input, the next input event is the start of a new movement. */
const REST_MS = 300;

const INPUT_EVENTS = [
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
 * Prevents the purchase of a wrong article when cards move under the pointer: arrivals are held while the
 * pointer, a finger or the focus is on the list or may be moving there, and moved cards ignore clicks.
 */
export function useSteadyList({ feed, list, items, columns }: SteadyList): Steadiness {
  const [guard] = useState(createPressGuard);
  useLayoutEffect(() => {
    if (list.current !== null) guard.noteDrawn(list.current);
  }, [guard, list, items, columns]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const input = watchInput(element, {
      onHolding: feed.setHolding,
      onMovementStart: () => {
        if (guard.hasJustChanged()) guard.protect(element, UNPROMPTED_MS);
      },
    });
    const stopListening = feed.items.subscribe(() => guard.noteChange(input.isActive()));
    const stopWatching = watchMovement(element, () => guard.protect(element, PLACED_MS));
    // While the main thread is busy, a click may be dispatched late, after the cards accept clicks again.
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
      input.stop();
      guard.stop();
    };
  }, [feed, list, guard]);
  return guard;
}

export interface Steadiness {
  /** Whether the list changed without user input less than `UNPROMPTED_MS` ago. */
  readonly hasJustChanged: () => boolean;
}

interface PressGuard extends Steadiness {
  /** The list has changed, but is not rendered yet. */
  readonly noteChange: (wasPrompted: boolean) => void;
  /** The list has been rendered: its cards may have moved. */
  readonly noteDrawn: (list: HTMLElement) => void;
  readonly protect: (list: HTMLElement, forMs: number) => void;
  /** Whether an event was created (`timeStamp`) while the cards were protected. */
  readonly refuses: (press: Event) => boolean;
  readonly stop: () => void;
}

/** Sets `data-unsettled` on the list while cards are protected: the style sheet then ignores the pointer. */
function createPressGuard(): PressGuard {
  let untilMs = 0;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let isUnprompted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const protect = (list: HTMLElement, forMs: number): void => {
    untilMs = Math.max(untilMs, performance.now() + forMs);
    // Called in every frame of a scroll: setting the attribute again would recalculate the styles.
    if (list.dataset["unsettled"] === undefined) list.dataset["unsettled"] = "";
    clearTimeout(timer);
    timer = setTimeout(() => delete list.dataset["unsettled"], untilMs - performance.now());
  };

  return {
    hasJustChanged: () => performance.now() - changedAtMs < UNPROMPTED_MS,
    noteChange: (wasPrompted) => {
      isUnprompted = !wasPrompted;
    },
    noteDrawn: (list) => {
      if (isUnprompted) changedAtMs = performance.now();
      protect(list, isUnprompted ? UNPROMPTED_MS : PLACED_MS);
      isUnprompted = false;
    },
    protect,
    refuses: ({ timeStamp }) => timeStamp < untilMs,
    stop: () => clearTimeout(timer),
  };
}

interface InputWatch {
  readonly isActive: () => boolean;
  readonly stop: () => void;
}

interface InputListeners {
  readonly onHolding: (isHolding: boolean) => void;
  readonly onMovementStart: () => void;
}

/** Follows pointer, touch, keyboard and scroll events, and reports when arrivals are to be held. */
function watchInput(list: HTMLElement, { onHolding, onMovementStart }: InputListeners): InputWatch {
  const ending = new AbortController();
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pointer = NOWHERE;
  let isTouched = false;

  const isActive = (): boolean =>
    isTouched ||
    performance.now() - seenAtMs < HOLD_AFTER_INPUT_MS ||
    isOver(list, pointer) ||
    isFocused(list);
  const decide = (): void => {
    clearTimeout(timer);
    // Before isActive() reads the time: while that is still recent input, a timer must be set to decide again.
    const restMs = seenAtMs + HOLD_AFTER_INPUT_MS - performance.now();
    if (restMs > 0) timer = setTimeout(decide, restMs);
    onHolding(isActive() || list.getBoundingClientRect().top < READING_TOP_PX);
  };
  const follow = (event: Event): boolean => {
    if (!(event instanceof PointerEvent)) return true;
    // A lifted finger has no position.
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
    // Within a continuous movement nothing changes, so only its first event is handled.
    if (restedMs < REST_MS) return;
    onMovementStart();
    decide();
  };
  const listen = (type: string, listener: (event: Event) => void): void =>
    document.addEventListener(type, listener, { passive: true, capture: true, signal: ending.signal });
  for (const type of INPUT_EVENTS) listen(type, note);
  listen("focusin", decide);
  listen("focusout", decide);
  // The list may also move under an idle pointer.
  listen("pointerover", (event) => {
    follow(event);
    decide();
  });
  document.documentElement.addEventListener(
    "pointerleave",
    () => {
      pointer = NOWHERE;
      decide();
    },
    { signal: ending.signal },
  );
  decide();
  return {
    isActive,
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

/** Outside the viewport. */
const NOWHERE: Point = { x: -1, y: -1 };

function isOver(list: HTMLElement, pointer: Point): boolean {
  const { left, right, top, bottom } = list.getBoundingClientRect();
  return pointer.x >= left && pointer.x <= right && pointer.y >= top && pointer.y <= bottom;
}

function isFocused(list: HTMLElement): boolean {
  return list.querySelector(":focus-visible, [data-listing]:focus") !== null;
}

/** The list's position in the document and its height, for comparison. */
function placeOf(list: HTMLElement): string {
  const { top, height } = list.getBoundingClientRect();
  return `${Math.round(top + scrollY)} ${Math.round(height)}`;
}

/** Reports that cards may have moved or been uncovered without a change of the list. */
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
  // A toast that closes uncovers the card below it: the pointer enters that card without moving.
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
  // The first click of a double click may close an overlay: the second must not reach the card below it.
  document.addEventListener(
    "pointerup",
    ({ target }) => {
      if (!(target instanceof Node) || !list.contains(target)) onMoved();
    },
    options,
  );
  // Content that grows above the list or in it moves cards; content that grows below it does not.
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
