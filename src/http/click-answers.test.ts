import { expect, test } from "vitest";
import { asPurchaseId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { ClickOutcome } from "#purchasing/purchasing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { clickRefusal } from "./routes/purchase.ts";

type RefusedClick = Exclude<ClickOutcome, { readonly kind: "accepted" }>;

const outcomes: readonly (readonly [RefusedClick, number, RegExp])[] = [
  [{ kind: "unknown_listing" }, 404, /24 heures/],
  [{ kind: "already_bought", purchase: aPurchase() }, 409, /^Déjà acheté$/],
  [{ kind: "seller_blocked" }, 409, /bloqué ce vendeur/],
  [{ kind: "taken_by_other" }, 409, /n'est plus disponible/],
  [{ kind: "price_rose", nowCents: 1_250 }, 409, /12,50\u00A0€/],
  [{ kind: "limit_reached", limit: "day" }, 409, /jour/],
  [{ kind: "limit_reached", limit: "month" }, 409, /mois/],
  [{ kind: "limit_reached", limit: "count" }, 409, /nombre d'achats/],
  [{ kind: "limit_reached", limit: "concurrent" }, 409, /en cours de paiement ou attendent votre banque/],
  [{ kind: "missing", what: ["account"] }, 409, /compte Vinted connecté/],
  [{ kind: "missing", what: ["address"] }, 409, /adresse de livraison/],
  [{ kind: "missing", what: ["payment"] }, 409, /moyen de paiement/],
  [{ kind: "missing", what: ["account", "address"] }, 409, /compte Vinted connecté, l'adresse/],
  [{ kind: "stopped" }, 503, /arrêtés/],
  [{ kind: "marketplace_unavailable" }, 502, /ne répond pas/],
];

test.each(outcomes)("a click that comes to %j is answered %d", (outcome, status, text) => {
  const refusal = clickRefusal(outcome);
  expect(refusal.status).toBe(status);
  expect(refusal.text).toMatch(text);
});

const STATUS_BY_REASON = {
  stale: 409,
  stopped: 503,
  price_rose: 409,
  limit_reached: 409,
  rule_reached: 409,
  sold: 409,
  withdrawn: 409,
  insufficient_funds: 409,
  address_invalid: 409,
  payment_refused: 409,
  not_confirmed: 409,
  account_refused: 409,
  rate_limited: 503,
  never_effective: 504,
  marketplace_unavailable: 502,
  not_cancelled: 409,
} as const satisfies Record<FailureReason, number>;

test.each(Object.entries(STATUS_BY_REASON) as [FailureReason, number][])(
  "a purchase that fails for %s is answered %d",
  (reason, status) => {
    expect(clickRefusal({ kind: "failed", reason }).status).toBe(status);
  },
);

test("a price that rose is answered with the new one, a purchase that failed with its id", () => {
  const purchaseId = asPurchaseId("p1");
  expect(clickRefusal({ kind: "price_rose", nowCents: 2_695, purchaseId }).details).toMatchObject({
    code: "prix_monte",
    priceCents: 2_695,
    purchaseId,
  });
  expect(clickRefusal({ kind: "stopped" }).details).not.toHaveProperty("purchaseId");
});

test("another person's purchase is not hinted at", () => {
  expect(clickRefusal({ kind: "taken_by_other" }).text).not.toMatch(/autre|membre|utilisateur|quelqu/);
});

test("every refusal has a code, so that a page need not parse its text", () => {
  const codeOf = (outcome: RefusedClick): string | undefined => clickRefusal(outcome).details.code;
  expect(outcomes.map(([outcome]) => codeOf(outcome)).every((code) => code !== undefined)).toBe(true);
  const gone = ["sold", "withdrawn"] as const;
  expect(gone.map((reason) => codeOf({ kind: "failed", reason }))).toEqual(["vendu", "vendu"]);
  // A failure that may be retried is not reported as sold.
  const others = Object.keys(STATUS_BY_REASON).filter((reason) => !gone.some((one) => one === reason));
  for (const reason of others as FailureReason[])
    expect(codeOf({ kind: "failed", reason })).not.toBe("vendu");
});
