import { type Mutation, useMutationState, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import type { Argent } from "#contract/envelope.ts";
import type { Produit, ProduitDuFlux } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { call, CallError, errorText, isAccessLost, isOutcomeUnknown } from "../../api/client.ts";
import { useLiveFeed, type LiveFeed } from "../../api/live/live-feed.ts";
import { outcomesOf, usePurchaseOutcomes, type ListingOutcome } from "../../api/live/purchase-outcomes.ts";
import { keepPurchase, queries, readPurchasesAgain } from "../../api/queries.ts";
import { textOf } from "../toasts/purchase-news.ts";
import { newestOf, usePurchaseToast, type PurchaseToast } from "../toasts/purchase-toast.ts";
import { groupOffer, prepareGroupOffer } from "./group-offer.ts";

export type BuyState =
  | { readonly kind: "idle" }
  /** The listing has no readable price and cannot be bought. */
  | { readonly kind: "unpriced" }
  | { readonly kind: "busy" }
  | { readonly kind: "awaiting"; readonly confirmationUrl: string; readonly deadlineS: number | null }
  | { readonly kind: "bought" }
  | {
      readonly kind: "refused";
      readonly reason: string;
      readonly isGone: boolean;
      /** The listing's current price, if it rose. */
      readonly newPrice?: Argent;
    };

const IDLE: BuyState = { kind: "idle" };
const UNPRICED: BuyState = { kind: "unpriced" };
const BUSY: BuyState = { kind: "busy" };
const BOUGHT: BuyState = { kind: "bought" };
const GONE: BuyState = { kind: "refused", reason: "", isGone: true };

const BUY_KEY = "buy";
/** How long a refusal is kept for its card, which may be scrolled back into view. */
const REMEMBERED_MS = 30 * 60_000;
/** Polling interval for a purchase whose response was lost. */
const POLL_MS = 2_000;
/** Lists without the purchase before giving up: the request may still be in flight during the first ones. */
const MAX_POLLS = 3;

type OfferedListing = Produit & Pick<ProduitDuFlux, "vendu">;

/** A listing with the ids of the person's filters that match it. */
type WantedListing = Produit & { readonly filtres: readonly string[] };

interface Buying {
  readonly stateOf: (product: OfferedListing) => BuyState;
  readonly buy: (product: WantedListing) => void;
  /** Whether the person recently clicked to buy it. */
  readonly wasTried: (listingId: number) => boolean;
  /** The price returned by the latest click that was refused for its price; null if there is none. */
  readonly newPriceOf: (listingId: number) => Argent | null;
}

/**
 * Purchases by click, with one subscription for all cards or rows. An attempt outlives its card: a card that
 * is mounted again, after scrolling or navigation, shows it as busy, or its outcome.
 */
export function useBuying(): Buying {
  const client = useQueryClient();
  const feed = useLiveFeed();
  const toast = usePurchaseToast();
  const read = usePurchaseOutcomes();
  const attempts = useMutationState({
    filters: { mutationKey: [BUY_KEY] },
    select: ({ options, state }: Mutation<PurchasePayload>) => ({
      id: Number(options.mutationKey?.[1]),
      status: state.status,
      error: state.error,
      purchase: state.data?.purchase,
    }),
  });
  // Until the list can be read, what was answered is known not to be for sale any more.
  const outcomes = read ?? outcomesOf(attempts.flatMap(({ purchase }) => purchase ?? []).toReversed());
  const latest = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  return {
    stateOf: (product) => stateOf(product, latest.get(product.id), outcomes.get(product.id)),
    buy: (product) => buy({ client, feed, toast }, product),
    wasTried: (listingId) => latest.has(listingId),
    newPriceOf: (listingId) =>
      attempts.flatMap(({ id, error }) => (id === listingId ? (newPriceIn(error) ?? []) : [])).at(-1) ?? null,
  };
}

interface Attempt {
  readonly status: "idle" | "pending" | "success" | "error";
  readonly error: unknown;
}

/** A click in progress is busy regardless of the list of purchases; afterwards the list is authoritative. */
export function stateOf(product: OfferedListing, attempt?: Attempt, outcome?: ListingOutcome): BuyState {
  if (attempt?.status === "pending") return BUSY;
  if (outcome !== undefined && outcome.kind !== "failed") return outcome.kind === "bought" ? BOUGHT : outcome;
  if (product.vendu === true) return GONE;
  if (!isPriced(product)) return UNPRICED;
  if (attempt?.status === "error") return refusedState(product, attempt.error);
  if (outcome === undefined) return IDLE;
  return { kind: "refused", reason: outcome.reason, isGone: outcome.code === "vendu" };
}

function newPriceIn(error: unknown): Argent | undefined {
  return error instanceof CallError ? error.price : undefined;
}

function isPriced({ total_item_price: { amount } }: Produit): boolean {
  return amount.trim() !== "" && Number.isFinite(Number(amount));
}

function refusedState(product: Produit, error: unknown): BuyState {
  if (!(error instanceof CallError)) return { kind: "refused", reason: errorText(error), isGone: false };
  const { code, price, message } = error;
  if (code !== "prix_monte" || price === undefined)
    return { kind: "refused", reason: message, isGone: code === "vendu" };
  // The listing has another price by now, at which nothing was refused.
  if (price.amount !== product.total_item_price.amount) return IDLE;
  return { kind: "refused", reason: ROSE_TEXT, isGone: false, newPrice: price };
}

interface Shop {
  readonly client: QueryClient;
  readonly feed: LiveFeed;
  readonly toast: PurchaseToast;
}

function buy({ client, feed, toast }: Shop, product: WantedListing): void {
  const mutationKey = [BUY_KEY, product.id];
  // The second click of a double click comes before the button renders as busy.
  if (client.isMutating({ mutationKey }) > 0) return;
  const attempt = client.getMutationCache().build(client, {
    mutationKey,
    gcTime: REMEMBERED_MS,
    mutationFn: async () => await click({ client, toast }, product),
    onSuccess: (payload) => {
      const newest = newestOf(payload, toast.endClick(product.id));
      if (newest.purchase === undefined) return;
      keepPurchase(client, newest.purchase);
      toast.announceAnswer(newest, groupOffer(client, product.filtres));
    },
    onError: (error) => {
      toast.endClick(product.id);
      const newPrice = newPriceIn(error);
      if (newPrice !== undefined) feed.setPrice(product.id, newPrice);
      if (isOutcomeUnknown(error)) toast.announceLostClick(product, errorText(error));
      else toast.announceRefusedClick(product, error);
    },
    // The list of purchases is authoritative, not the response; a bought listing is no longer missed.
    onSettled: () => {
      void readPurchasesAgain(client);
      void client.invalidateQueries({ queryKey: queries.missedPurchases.queryKey });
    },
  });
  toast.beginClick(product.id);
  prepareGroupOffer(client, product.filtres);
  // `onError` announces the refusal, and the mutation's state keeps it.
  attempt.execute(undefined).catch(() => undefined);
}

const MAYBE_TEXT = "l'achat a peut-être eu lieu. Rien ne sera payé deux fois ; voyez Achats.";
const ROSE_TEXT = "Le prix a augmenté : rien n'a été payé.";
const OFFLINE_TEXT = "Vous êtes hors ligne : rien n'a été acheté.";

async function click({ client, toast }: Omit<Shop, "feed">, product: Produit): Promise<PurchasePayload> {
  if (!navigator.onLine) throw new CallError(OFFLINE_TEXT, 0, { code: "hors_ligne" });
  const known = client.getQueryData(queries.purchases.queryKey)?.purch;
  try {
    const body = { id: product.id, price: product.total_item_price };
    return { success: true, ...(await call("clickPurchase", { body })) };
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    return await outcomeOfLostClick({ client, toast }, { product, known, cause: error });
  }
}

/** Keeps the server's own message of a 5xx response. */
function lostText(cause: unknown): string {
  const isAnswer = cause instanceof CallError && cause.status >= 500;
  return `${isAnswer ? cause.message.replace(/[.\s]+$/u, "") : "La réponse s'est perdue"} : ${MAYBE_TEXT}`;
}

interface LostClick {
  readonly product: Produit;
  /** The purchases known before the click. */
  readonly known: readonly Achat[] | undefined;
  readonly cause: unknown;
}

/** Resolves an unknown outcome from the list of purchases; pending, so busy, until that can be read. */
async function outcomeOfLostClick(
  { client, toast }: Omit<Shop, "feed">,
  lost: LostClick,
): Promise<PurchasePayload> {
  const { product, cause } = lost;
  for (let polls = 0; polls < MAX_POLLS;) {
    // Signed out meanwhile.
    if (client.getQueryData(queries.user.queryKey) === null) break;
    const reported = toast.reportOf(product.id);
    if (reported?.purchase !== undefined) return settled(reported.purchase, reported);
    try {
      const { purch } = await client.fetchQuery({ ...queries.purchases, staleTime: 0 });
      const found = purchaseOf(lost, purch);
      if (found !== undefined) return settled(found);
      polls += 1;
    } catch (error) {
      if (isAccessLost(error)) break;
      toast.announceLostClick(product, lostText(cause));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new CallError(lostText(cause), 0, { cause });
}

/**
 * The purchase that answers a lost click. A filter's simulation or cancelled attempt says nothing of the click, which
 * may still be under way.
 */
export function purchaseOf(
  { product, known }: Omit<LostClick, "cause">,
  purchases: readonly Achat[],
): Achat | undefined {
  return purchases.find(({ _id, status, source, simulation, product: { id } }) => {
    if (id !== product.id || simulation === true) return false;
    if (status === ACHAT_ANNULE && (known === undefined || source !== "clic")) return false;
    return known?.some((each) => each._id === _id) !== true;
  });
}

function settled(purchase: Achat, reported?: PurchasePayload): PurchasePayload {
  const { status, raison, code, _id: purchaseId } = purchase;
  if (status === ACHAT_ANNULE && raison !== null) throw new CallError(raison, 409, { code, purchaseId });
  return reported ?? { success: true, message: textOf(purchase), purchase };
}
