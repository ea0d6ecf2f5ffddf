import { Refusal } from "../market/refusal.ts";
import type { Stock } from "../market/stock.ts";
import type { FaultKind } from "./fault-kind.ts";
import type { Scene } from "./twists.ts";

/** The steps of buying, at each of which somebody else can be faster. */
const BUYING_ROUTES = ["conversation", "build", "checkout", "payment"] as const;

/** Other people who get in first: rivals who buy, and sellers who think again. */
export const rivalry: readonly FaultKind[] = [
  {
    kind: "sold_first",
    variants: ["sold", "reserved"],
    routes: BUYING_ROUTES,
    onlyRoutes: BUYING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    twist: ({ variant, delayMs }) => ({
      before: [
        onAvailable((stock, { id, nowMs }) => {
          if (variant === "reserved") stock.setState(id, "reserved", nowMs + delayMs);
          else stock.setState(id, "sold");
        }),
      ],
    }),
  },
  {
    kind: "withdrawn",
    variants: ["gone_410", "gone_404", "hidden", "relisted"],
    routes: BUYING_ROUTES,
    onlyRoutes: BUYING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    twist: ({ variant, delayMs }) => ({
      before: [
        onAvailable((stock, { id, nowMs }) => withdraw(stock, { id, variant, untilMs: nowMs + delayMs })),
      ],
    }),
  },
];

/** An act on the listing that the call is about, as long as anybody can still buy it. */
function onAvailable(act: (stock: Stock, at: { id: number; nowMs: number }) => void): (scene: Scene) => void {
  return ({ market, listing, nowMs }) => {
    if (listing?.state === "available") act(market.stock, { id: listing.id, nowMs });
  };
}

function withdraw(stock: Stock, how: { id: number; variant: string; untilMs: number }): void {
  const { id, variant } = how;
  if (variant === "hidden") {
    // Out of sight for a moment, as when a seller hides it.
    stock.setState(id, "reserved", how.untilMs);
    throw new Refusal("not_found");
  }
  const withdrawn = stock.setState(id, "withdrawn");
  if (variant === "gone_404") throw new Refusal("not_found");
  if (variant === "relisted" && withdrawn !== null)
    stock.publish([{ facts: withdrawn, serial: withdrawn.serial }]);
}
