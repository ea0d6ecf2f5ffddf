import type { Fate } from "../market/listing.ts";
import type { Draws } from "./draws.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Somebody is faster: gone between a look and a purchase. */
const SNIPED_SHARE = 0.03;
const RIVAL_SHARE = 0.5;
const WITHDRAWAL_SHARE = 0.07;
const PRICE_SHARE = 0.1;
/** A rival's patience: cheap things go faster. */
const RIVAL_MEAN_MS = 6 * HOUR_MS;

/** What becomes of a listing when nobody of ours buys it: part of the hidden truth, drawn at its birth. */
export function drawFate(
  ware: { readonly publishedAtMs: number; readonly priceCents: number },
  draws: Draws,
): Fate | null {
  const { publishedAtMs, priceCents } = ware;
  const at = (afterMs: number): number => publishedAtMs + Math.round(afterMs);
  if (draws.chance(SNIPED_SHARE)) return { kind: "rival", atMs: at(draws.whole(5_000, 40_000)), priceCents };
  const luck = draws.next();
  if (luck < RIVAL_SHARE) {
    const haste = priceCents < 500 ? 0.5 : 1;
    return {
      kind: "rival",
      atMs: at(2 * MINUTE_MS + draws.exponential() * RIVAL_MEAN_MS * haste),
      priceCents,
    };
  }
  if (luck < RIVAL_SHARE + WITHDRAWAL_SHARE) {
    return { kind: "withdrawal", atMs: at(draws.exponential() * 3 * HOUR_MS + MINUTE_MS), priceCents };
  }
  if (luck < RIVAL_SHARE + WITHDRAWAL_SHARE + PRICE_SHARE && priceCents >= 400) {
    const loweredCents = Math.max(100, Math.round((priceCents * draws.whole(70, 92)) / 10_000) * 100);
    return {
      kind: "price",
      atMs: at(draws.exponential() * HOUR_MS + 3 * MINUTE_MS),
      priceCents: loweredCents,
    };
  }
  return null;
}
