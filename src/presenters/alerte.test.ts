import { expect, test } from "vitest";
import { asFilterId } from "#domain/ids.ts";
import { aListing, aStanding } from "#verify/testing/a-listing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import {
  articleAlert,
  groupAlert,
  isAnnounced,
  presentEnvoi,
  purchaseAlert,
  questionAlert,
} from "./alerte.ts";

test.each([37, 38, 39, 117, 118, 119, 120])(
  "a text is not cut within a character (%i letters)",
  (letters) => {
    const text = `${"a".repeat(letters)}👗👗👗`;
    const listing = aListing({ title: text, brandTitle: "", sizeTitle: text });
    const { title, body } = articleAlert(listing, { filterTag: text, filterIds: [asFilterId("f")] });
    const group = groupAlert([{ tag: text, count: 2 }]);
    for (const shown of [title, body, group.body]) expect(shown.isWellFormed()).toBe(true);
    expect(title).toMatch(/a(?:👗)*…?$/u);
  },
);

test("the question about a price that is too low says what is usual, and offers the listing", () => {
  const { title, body, article } = questionAlert({
    filterId: asFilterId("f"),
    listing: aListing({ id: 42, totalPriceCents: 1_200 }),
    standing: aStanding({ lowCents: 8_000, highCents: 14_000 }),
  });
  expect(title).toMatch(/^À confirmer · 12,00\u{A0}€ · /u);
  expect(body).toBe("Trop beau pour être vrai : 12\u00A0€ au lieu de 80–140 €. Rien n'a été acheté.");
  expect(article).toMatchObject({ listingId: 42, totalPriceCents: 1_200, filterIds: ["f"] });
});

test("a click's late payment is announced, an order made elsewhere is not", () => {
  const elsewhere = aPurchase({ source: "external" });
  expect(isAnnounced(elsewhere)).toBe(false);
  const late = { ...elsewhere, attemptTransactionId: 42 };
  expect(isAnnounced(late)).toBe(true);
  const { title, body, details } = purchaseAlert(late, null);
  expect(title).toBe("Achat confirmé");
  expect(body).toMatch(/^Achat confirmé après coup : /);
  expect(details?.fields).toContainEqual({ name: "Filtre", value: "Achat en un clic" });
});

test("the journal names the article of a purchase, and says when the bank's reminder is due", () => {
  const { title, body } = purchaseAlert(aPurchase({ state: "awaiting" }), null);
  const reminder = presentEnvoi({
    id: 2,
    destinationId: "d",
    channel: "push",
    name: "Téléphone",
    type: "bank",
    title,
    body,
    isLoud: true,
    result: "waiting",
    reason: null,
    attempts: 0,
    plannedAtMs: 1_000,
    dueAtMs: 181_000,
    sentAtMs: null,
  });
  expect(reminder.titre).toMatch(/^Votre banque attend votre confirmation : « .+ »/u);
  expect(reminder).toMatchObject({ prevu_a: 181_000, envoye_a: null });
});
