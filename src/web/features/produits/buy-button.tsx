import { IconCheck } from "@tabler/icons-react";
import type { MouseEvent } from "react";
import type { BuyState } from "./buy.ts";
import "./buy-button.css";

interface BuyButtonProps {
  readonly state: BuyState;
  readonly onBuy: () => void;
  /** The id of the element that says which listing it buys, for those who do not see the card. */
  readonly titleId: string;
}

/** A plain button, since each card of thousands has one. */
export function BuyButton({ state, onBuy, titleId }: BuyButtonProps) {
  const isSettled = state.kind === "bought" || (state.kind === "refused" && state.isGone);
  if (isSettled) {
    return (
      <button type="button" className="buy-button" aria-describedby={titleId} disabled>
        {state.kind === "bought" ? <IconCheck size={16} stroke={2.6} aria-hidden="true" /> : null}
        {state.kind === "bought" ? "Déjà acheté" : "Vendu"}
      </button>
    );
  }
  const click = (event: MouseEvent<HTMLElement>): void => {
    // A button that becomes disabled drops the keyboard's focus: the card keeps it.
    if (event.detail === 0) event.currentTarget.closest<HTMLElement>("[data-listing]")?.focus();
    onBuy();
  };
  const isBusy = state.kind === "busy";
  return (
    <div data-hold>
      <button
        type="button"
        className="buy-button"
        aria-describedby={titleId}
        aria-label={isBusy ? "Achat en cours" : undefined}
        aria-busy={isBusy || undefined}
        disabled={isBusy}
        onClick={click}
      >
        {isBusy ? <span className="buy-button__spinner" aria-hidden="true" /> : "Acheter"}
      </button>
      {state.kind === "refused" ? <p className="buy-button__reason">{state.reason}</p> : null}
    </div>
  );
}
