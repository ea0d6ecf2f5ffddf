import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { BuyCommand } from "./buy.ts";
import "./buy-button.css";

interface BuyButtonProps {
  readonly command: BuyCommand;
  /** The id of the element that says which listing it buys, for those who do not see the card. */
  readonly titleId: string;
}

export function BuyButton({ command: { state, buy }, titleId }: BuyButtonProps) {
  if (state.kind === "bought") {
    return (
      <Button className="buy-button" fullWidth disabled leftSection={<IconCheck size={16} stroke={2.6} />}>
        Déjà acheté
      </Button>
    );
  }
  if (state.kind === "refused" && state.isGone) {
    return (
      <Button className="buy-button" fullWidth disabled>
        Vendu
      </Button>
    );
  }
  return (
    <div className="buy-button" data-hold>
      <Button
        fullWidth
        variant="filled"
        loading={state.kind === "busy"}
        aria-describedby={titleId}
        onClick={buy}
      >
        Acheter
      </Button>
      {state.kind === "refused" ? <p className="buy-button__reason">{state.reason}</p> : null}
    </div>
  );
}
