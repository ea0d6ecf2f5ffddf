import { describe, expect, it } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { MARKETPLACE_ERROR_CODES, MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { PaymentAnswer } from "#marketplace/marketplace.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { evidenceOf, paymentFailure, paymentMeaning, preparationFailure } from "./classify.ts";

const codes = Object.keys(MARKETPLACE_ERROR_CODES) as MarketplaceErrorCode[];

/** The codes that prove that the paying request had no effect; any other leaves the outcome unknown. */
const PROVES_NO_PAYMENT = new Map<MarketplaceErrorCode, object>([
  ["unreachable", { kind: "retry", reason: "marketplace_unavailable", waitMs: 500 }],
  ["too_late", { kind: "retry", reason: "marketplace_unavailable", waitMs: 500 }],
  ["unauthorised", { kind: "retry", reason: "account_refused", waitMs: 0 }],
  ["session_refused", { kind: "final", reason: "account_refused" }],
  ["rate_limited", { kind: "retry", reason: "rate_limited", waitMs: 1_000 }],
  ["sold", { kind: "final", reason: "sold" }],
  ["reserved", { kind: "final", reason: "sold" }],
  ["withdrawn", { kind: "final", reason: "withdrawn" }],
  ["not_found", { kind: "retry", reason: "marketplace_unavailable", waitMs: 500 }],
  ["price_changed", { kind: "retry", reason: "price_rose", waitMs: 0 }],
  ["insufficient_funds", { kind: "final", reason: "insufficient_funds" }],
  ["address_invalid", { kind: "final", reason: "address_invalid" }],
  ["payment_refused", { kind: "final", reason: "payment_refused" }],
]);

describe("paymentFailure()", () => {
  it.each(codes)("reads %s as the allowlist says", (code) => {
    expect(paymentFailure(new MarketplaceError(code))).toEqual(PROVES_NO_PAYMENT.get(code) ?? null);
  });

  it.each(codes)("treats a %s without the agreed shape as an unknown outcome", (code) => {
    expect(paymentFailure(new MarketplaceError(code, { isDoubtful: true }))).toBeNull();
  });

  it("treats any error other than the marketplace's as an unknown outcome", () => {
    expect(paymentFailure(new TypeError("a bug"))).toBeNull();
    expect(paymentFailure(undefined)).toBeNull();
  });

  it("waits exactly as long as the marketplace asks", () => {
    const limited = new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 86_400_000 });
    expect(paymentFailure(limited)).toMatchObject({ waitMs: 86_400_000 });
  });
});

describe("preparationFailure()", () => {
  it.each(codes)("always ends a preparation for %s: nothing that pays was sent", (code) => {
    for (const isDoubtful of [false, true])
      expect(preparationFailure(new MarketplaceError(code, { isDoubtful }), false).reason).toBeTypeOf(
        "string",
      );
  });

  it("retries after a 'sold' without the agreed shape", () => {
    expect(preparationFailure(new MarketplaceError("sold", { isDoubtful: true }), false)).toMatchObject({
      kind: "retry",
      reason: "marketplace_unavailable",
    });
  });

  it("does not retry when the marketplace blocks the account", () => {
    expect(preparationFailure(new MarketplaceError("blocked"), false).kind).toBe("final");
  });
});

describe("paymentMeaning()", () => {
  const record = aPurchaseRecord({ attemptTransactionId: 9 });
  const answer = (traits: Partial<PaymentAnswer> = {}): PaymentAnswer => ({
    status: "success",
    transactionId: 9,
    listingId: record.listingId,
    totalCents: 1_500,
    confirmUrl: null,
    failure: null,
    ...traits,
  });

  it("treats success, an awaited bank and a failure as decisive", () => {
    expect(paymentMeaning(record, answer())).toMatchObject({
      kind: "decisive",
      answer: { status: "success", totalCents: 1_500 },
    });
    expect(paymentMeaning(record, answer({ status: "pending", confirmUrl: "https://b" }))).toMatchObject({
      answer: { status: "pending", confirmUrl: "https://b" },
    });
    expect(paymentMeaning(record, answer({ status: "failure", failure: "not_confirmed" }))).toMatchObject({
      answer: { status: "failure", reason: "not_confirmed" },
    });
  });

  it("does not treat 'preparing' as an outcome", () => {
    expect(paymentMeaning(record, answer({ status: "preparing" }))).toEqual({ kind: "preparing" });
  });

  it.each<[string, Partial<PaymentAnswer>]>([
    ["another listing", { listingId: asListingId(1) }],
    ["another transaction", { transactionId: 10 }],
    ["a payment of nothing", { totalCents: 0 }],
    ["another listing's failure", { status: "failure", listingId: asListingId(1) }],
  ])("does not trust an answer about %s", (_, traits) => {
    expect(paymentMeaning(record, answer(traits))).toEqual({ kind: "doubtful" });
  });
});

describe("evidenceOf()", () => {
  it("keeps a code and a status, never an error's text", () => {
    const error = new MarketplaceError("server_error", { status: 502, cause: new Error("secret") });
    expect(evidenceOf(error)).toEqual({ code: "server_error", status: 502 });
    expect(JSON.stringify(evidenceOf(new Error("token abc")))).not.toContain("abc");
  });
});
