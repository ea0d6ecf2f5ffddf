import { useMutationState, useQueryClient, type QueryClient } from "@tanstack/react-query";
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

const IDLE: BuyState = { kind: "idle" };
const BUSY: BuyState = { kind: "busy" };
const BOUGHT: BuyState = { kind: "bought" };

const BUY_KEY = "buy";
/** A refusal is remembered as long as somebody may still scroll back to it. */
const REMEMBERED_MS = 30 * 60_000;

export interface Buying {
  readonly stateOf: (listingId: number) => BuyState;
  readonly buy: (product: Produit) => void;
}

/**
 * The purchases by click, watched once for all cards. An attempt outlives its card: whoever scrolls away or changes
 * the screen and comes back sees it still busy, or its outcome.
 */
export function useBuying(boughtIds: ReadonlySet<number>): Buying {
  const client = useQueryClient();
  const attempts = useMutationState({
    filters: { mutationKey: [BUY_KEY] },
    select: ({ options, state }) => ({
      id: Number(options.mutationKey?.[1]),
      status: state.status,
      error: state.error,
    }),
  });
  const states = new Map(attempts.map((attempt) => [attempt.id, attemptState(attempt)]));
  return {
    stateOf: (id) => (boughtIds.has(id) ? BOUGHT : (states.get(id) ?? IDLE)),
    buy: (product) => buy(client, product),
  };
}

function buy(client: QueryClient, product: Produit): void {
  const mutationKey = [BUY_KEY, product.id];
  // The second of two quick clicks comes before the button is drawn busy.
  if (client.isMutating({ mutationKey }) > 0) return;
  const attempt = client.getMutationCache().build(client, {
    mutationKey,
    gcTime: REMEMBERED_MS,
    mutationFn: () => call("clickPurchase", { body: { id: product.id, price: product.total_item_price } }),
    onSuccess: ({ message, purchase }) => {
      keepPurchase(client, purchase);
      tellPurchase({ success: true, message, purchase });
    },
    onError: (error) => showToast({ message: refusalText(error), tone: isLost(error) ? "neutral" : "bad" }),
    // Whatever was answered, the list of purchases is the truth.
    onSettled: () => void client.invalidateQueries({ queryKey: queries.purchases.queryKey }),
  });
  // The refusal was told above, and stays in the attempt's state.
  attempt.execute(undefined).catch(() => undefined);
}

interface Attempt {
  readonly status: "idle" | "pending" | "success" | "error";
  readonly error: unknown;
}

function attemptState({ status, error }: Attempt): BuyState {
  if (status === "pending") return BUSY;
  if (status !== "error") return IDLE;
  return { kind: "refused", reason: refusalText(error), isGone: isGone(error) };
}

const LOST_TEXT =
  "La réponse s'est perdue : l'achat a peut-être eu lieu. Rien ne sera payé deux fois ; voyez Achats.";

function refusalText(error: unknown): string {
  return isLost(error) ? LOST_TEXT : errorText(error);
}

/** Nobody can say what became of the click. What buying itself refuses bears a code, what comes before it a 4xx. */
function isLost(error: unknown): boolean {
  if (!(error instanceof CallError) || error.code !== undefined) return false;
  return error.status < 400 || error.status >= 500;
}

/** Sold to somebody else, or no longer known: trying again cannot help. */
function isGone(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return error.code === "vendu" || error.code === "inconnu";
}
