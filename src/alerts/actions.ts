/**
 * What a person can do from an alert: buy the listing of its link once, block the seller, pause. A link does
 * not identify a person: every action applies to the one who is signed in, or whose chat it is.
 */
import { type Clock, MINUTE_MS } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import { eur } from "#domain/money.ts";
import type { Purchase } from "#domain/purchase.ts";
import type { ClickOutcome, Purchasing } from "#purchasing/purchasing.ts";
import type { AlertLink, AlertStore } from "#store/alert-store.ts";
import type { ListingStore } from "#store/market-store.ts";
import type { SellerStore } from "#store/store.ts";
import { tokenHash } from "./links.ts";

export interface AlertActionsDeps {
  readonly alerts: Pick<AlertStore, "changeSettings" | "links">;
  readonly listings: Pick<ListingStore, "byId">;
  readonly sellers: Pick<SellerStore, "block">;
  readonly purchasing: Pick<Purchasing, "click" | "list">;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
}

interface LinkState {
  readonly state: "valid" | "used" | "expired";
  readonly link: AlertLink;
  readonly listing: SeenListing | null;
}

export type LinkPurchase =
  | { readonly kind: "unknown" }
  | { readonly kind: "used" }
  | { readonly kind: "expired" }
  | { readonly kind: "clicked"; readonly outcome: ClickOutcome };

export interface AlertActions {
  /** Does not use up the link. Null: no link of this person. */
  look(userId: UserId, token: string): Promise<LinkState | null>;
  /** The person's purchase of the link's listing, however it was made. Null: none. */
  purchaseOf(userId: UserId, link: AlertLink): Promise<Purchase | null>;
  /** Uses up the link, then buys at most at its price. */
  buy(userId: UserId, token: string): Promise<LinkPurchase>;
  /** Blocks the seller of the link's listing. Null: no such link or listing, or the list is full. */
  block(userId: UserId, token: string): Promise<string | null>;
  /** Pauses alerts about articles: they are counted. Minutes 0 ends a pause. @returns its end, 0 for none */
  pause(userId: UserId, minutes: number): Promise<number>;
}

const MAX_BLOCKED = 2_000;
/** Enough to find a link's purchase, because links expire after ten minutes. */
const PURCHASES_LOOKED_AT = 100;

export function createAlertActions(deps: AlertActionsDeps): AlertActions {
  const { alerts, listings, sellers, purchasing, events, clock } = deps;

  async function look(userId: UserId, token: string): Promise<LinkState | null> {
    const hash = tokenHash(token);
    const link = hash === null ? null : await alerts.links.find(userId, hash);
    if (link === null) return null;
    const listing = await listings.byId(link.listingId);
    return { state: stateOf(link, clock.nowMs()), link, listing };
  }

  return {
    look,
    async purchaseOf(userId, link) {
      const recent = await purchasing.list(userId, { limit: PURCHASES_LOOKED_AT, before: undefined });
      return recent.find(({ listingId, mode }) => listingId === link.listingId && mode === "live") ?? null;
    },
    async buy(userId, token) {
      const hash = tokenHash(token);
      const link = hash === null ? null : await alerts.links.find(userId, hash);
      if (link === null || hash === null) return { kind: "unknown" };
      // A crash after this line loses the link; one before it has bought nothing.
      if (!(await alerts.links.spend(userId, hash, clock.nowMs()))) {
        const now = await alerts.links.find(userId, hash);
        return { kind: now === null || now.usedAtMs === null ? "expired" : "used" };
      }
      const seenPrice = eur(link.totalPriceCents);
      return {
        kind: "clicked",
        outcome: await purchasing.click({ userId, listingId: link.listingId, seenPrice }),
      };
    },
    async block(userId, token) {
      const found = await look(userId, token);
      if (found === null || found.listing === null) return null;
      const { id, login } = found.listing.listing.seller;
      const seller = { sellerId: id > 0 ? id : null, login };
      const list = await sellers.block(userId, [seller], { nowMs: clock.nowMs(), limit: MAX_BLOCKED });
      if (list === null) return null;
      await events.publish({ kind: "sellers_changed", userId });
      return login;
    },
    async pause(userId, minutes) {
      const pausedUntilMs = minutes === 0 ? 0 : clock.nowMs() + minutes * MINUTE_MS;
      await alerts.changeSettings(userId, { pausedUntilMs });
      await events.publish({ kind: "alerts_changed", userId });
      return pausedUntilMs;
    },
  };
}

function stateOf({ usedAtMs, expiresAtMs }: AlertLink, nowMs: number): LinkState["state"] {
  if (usedAtMs !== null) return "used";
  return nowMs < expiresAtMs ? "valid" : "expired";
}
