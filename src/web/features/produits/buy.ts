import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import type { Produit } from "#contract/produit.ts";
import { call, CallError, errorText } from "../../api/client.ts";
import { keepPurchase, queries } from "../../api/queries.ts";
import { tellPurchase } from "../../ui/purchase-toast.tsx";
import { showToast } from "../../ui/toast.tsx";

export type BuyState =
  | { readonly kind: "idle" }
  | { readonly kind: "busy" }
  | { readonly kind: "bought" }
  | { readonly kind: "refused"; readonly reason: string; readonly isGone: boolean };

export interface BuyCommand {
  readonly state: BuyState;
  readonly buy: () => void;
}

/**
 * Buys one listing. The attempt outlives the card: whoever scrolls away or changes the screen and comes back sees it
 * still busy, or its outcome.
 */
export function useBuy(product: Produit, isBought: boolean): BuyCommand {
  const client = useQueryClient();
  const mutationKey = ["buy", product.id];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: () => call("clickPurchase", { body: { id: product.id, price: product.total_item_price } }),
    onSuccess: ({ message, purchase }) => {
      keepPurchase(client, purchase);
      tellPurchase({ success: true, message, purchase });
    },
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
    // Whatever was answered, the list of purchases is the truth.
    onSettled: () => void client.invalidateQueries({ queryKey: queries.purchases.queryKey }),
  });
  const attempts = useMutationState({
    filters: { mutationKey },
    select: ({ state }) => ({ status: state.status, error: state.error }),
  });
  const state = isBought ? { kind: "bought" as const } : stateOf(attempts.at(-1));
  return {
    state,
    buy: () => {
      // The second of two quick clicks comes before the button is drawn busy.
      if (client.isMutating({ mutationKey }) > 0) return;
      if (state.kind === "idle" || (state.kind === "refused" && !state.isGone)) mutate();
    },
  };
}

interface Attempt {
  readonly status: "idle" | "pending" | "success" | "error";
  readonly error: unknown;
}

function stateOf(attempt: Attempt | undefined): BuyState {
  if (attempt?.status === "pending") return { kind: "busy" };
  if (attempt?.status !== "error") return { kind: "idle" };
  return { kind: "refused", reason: errorText(attempt.error), isGone: isGone(attempt.error) };
}

/** Sold to somebody else, or no longer known: trying again cannot help. */
function isGone(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return error.code === "vendu" || error.code === "inconnu";
}
