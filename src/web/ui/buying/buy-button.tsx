import { IconCheck, IconExternalLink } from "@tabler/icons-react";
import { useCallback, useLayoutEffect, useRef, type MouseEvent } from "react";
import { formatMoney } from "../format.ts";
import { formatClock } from "../format-panel.ts";
import type { BuyState } from "./buy.ts";
import "./buy-button.css";

interface BuyButtonProps {
  readonly state: BuyState;
  /** What the listing costs: shortly after it rose a press buys nothing. */
  readonly amount: string;
  readonly onBuy: () => void;
  /** Id of the element with the listing's title, for assistive technology. */
  readonly titleId: string;
}

/** A native button instead of Mantine's, for speed: thousands of cards have one. */
export function BuyButton({ state, amount, onBuy: onPress, titleId }: BuyButtonProps) {
  const isTooSoon = usePressGuard(amount);
  const onBuy = (press: MouseEvent): void => {
    if (!isTooSoon(press)) onPress();
  };
  switch (state.kind) {
    case "bought":
      return (
        <button type="button" className="buy-button" aria-describedby={titleId} disabled>
          <IconCheck size={16} stroke={2.6} aria-hidden="true" />
          Déjà acheté
        </button>
      );
    case "awaiting":
      return (
        <a
          className="buy-button"
          data-awaiting
          href={state.confirmationUrl}
          target="_blank"
          rel="noopener noreferrer"
          aria-describedby={titleId}
          title={state.deadlineS === null ? undefined : `Avant ${formatClock(state.deadlineS)}`}
        >
          À confirmer
          <IconExternalLink size={16} stroke={2.2} aria-hidden="true" />
        </a>
      );
    case "refused":
      if (state.isGone) {
        return (
          <button type="button" className="buy-button" aria-describedby={titleId} disabled>
            Vendu
          </button>
        );
      }
      return (
        <>
          <PressableButton titleId={titleId} onBuy={onBuy}>
            {state.newPrice === undefined ? "Acheter" : `Acheter à ${formatMoney(state.newPrice)}`}
          </PressableButton>
          <p className="buy-button__reason">{state.reason}</p>
        </>
      );
    case "unpriced":
      return (
        <button type="button" className="buy-button" aria-describedby={titleId} disabled>
          Acheter
        </button>
      );
    case "idle":
    case "busy":
      return (
        <PressableButton titleId={titleId} onBuy={onBuy} isBusy={state.kind === "busy"}>
          Acheter
        </PressableButton>
      );
    default:
      return state satisfies never;
  }
}

/** As long as cards that have moved ignore presses. */
const RISE_MS = 1_000;
/** As long as the style sheets keep what has just come from the pointer. */
const PLACED_MS = 500;

/**
 * Returns whether a press was made too soon to be meant: shortly after the price rose it may have been meant for
 * the lower one, also by a key, which a list lets through since the focused card cannot move away; and a pointer
 * may have aimed at what was there before the button. The style sheets do not refuse a press that a busy page
 * handles late.
 */
function usePressGuard(amount: string): (press: MouseEvent) => boolean {
  const guard = useRef({ amount: "", pointerFromMs: 0, keyFromMs: 0 });
  useLayoutEffect(() => {
    const { current } = guard;
    const nowMs = performance.now();
    if (current.amount === "") current.pointerFromMs = nowMs + PLACED_MS;
    else if (Number(amount) > Number(current.amount)) current.keyFromMs = nowMs + RISE_MS;
    current.amount = amount;
  }, [amount]);
  return useCallback(({ detail, timeStamp }) => {
    const { pointerFromMs, keyFromMs } = guard.current;
    // `detail` is 0 for the keyboard.
    return performance.now() < keyFromMs || (detail > 0 && timeStamp < pointerFromMs);
  }, []);
}

interface PressableButtonProps extends Pick<BuyButtonProps, "titleId"> {
  readonly onBuy: (press: MouseEvent) => void;
  readonly isBusy?: boolean;
  readonly children: string;
}

function PressableButton({ titleId, onBuy, isBusy = false, children }: PressableButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    // Replaced, for example because somebody else bought the listing.
    return () => {
      if (current === document.activeElement) focusCardOf(current);
    };
  }, []);
  const click = (event: MouseEvent<HTMLElement>): void => {
    // `detail` is 0 for the keyboard. A button that becomes disabled loses the focus, so the card takes it.
    if (event.detail === 0) focusCardOf(event.currentTarget);
    onBuy(event);
  };
  return (
    <button
      ref={button}
      type="button"
      className="buy-button"
      aria-describedby={titleId}
      aria-label={isBusy ? "Achat en cours" : undefined}
      aria-busy={isBusy || undefined}
      disabled={isBusy}
      onClick={click}
    >
      {isBusy ? <span className="buy-button__spinner" aria-hidden="true" /> : children}
    </button>
  );
}

function focusCardOf(button: Element | null): void {
  button?.closest<HTMLElement>("[data-listing]")?.focus();
}
