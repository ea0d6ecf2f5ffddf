import { describe, expect, test } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { Standing } from "#domain/market/standing.ts";
import type { MissedWish, PurchaseStory, PurchaseSums } from "#domain/story.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { presentBilan, presentMissedWish, presentRecit } from "./recit.ts";

const SEEN_MS = A_MOMENT_MS + 200;

function aStory(
  traits: Partial<PurchaseStory["purchase"]> = {},
  others: Partial<Omit<PurchaseStory, "purchase">> = {},
): PurchaseStory {
  const purchase = aPurchase({ source: "auto", decidedAtMs: SEEN_MS + 30, ...traits });
  return {
    purchase: { ...purchase, wishedAtMs: SEEN_MS + 10, monthKey: "2026-11", ...traits },
    origin: {
      purchaseId: purchase.id,
      userId: purchase.userId,
      firstSeenAtMs: SEEN_MS,
      leafIds: [221],
      usual: null,
    },
    attempts: [{ n: 1, startedAtMs: SEEN_MS + 40, sentAtMs: SEEN_MS + 300, endedAtMs: SEEN_MS + 500 }],
    ...others,
  };
}

const namesOf = (story: PurchaseStory) => presentRecit(story).etapes.map(({ nom }) => nom);

describe("the story of a purchase", () => {
  test("lists the steps from the publication to the payment in order of time", () => {
    const { etapes, raison } = presentRecit(aStory());
    expect(etapes.map(({ nom, a }) => [nom, a - A_MOMENT_MS])).toEqual([
      ["Publié (heure de la photo)", 0],
      ["Vu par Synapse", 200],
      ["Trouvé par votre filtre", 210],
      ["Décidé", 230],
      ["Commande ouverte", 240],
      ["Paiement envoyé", 500],
      ["Payé", 700],
    ]);
    expect(raison).toBeNull();
  });

  test("gives the reason of a failure and what can be done", () => {
    const story = aStory({ state: "failed", failureReason: "sold" });
    expect(namesOf(story).at(-1)).toBe("Abandonné");
    expect(presentRecit(story)).toMatchObject({
      raison: "Cet article est déjà vendu.",
      conseil: expect.stringContaining("Thunder") as unknown,
    });
  });

  test("omits steps that are unknown or did not happen", () => {
    const late = aListing({ photoTakenAtUnixS: SEEN_MS / 1_000 + 60 });
    expect(namesOf(aStory({ listing: late }, { origin: null, attempts: [] }))).toEqual([
      "Trouvé par votre filtre",
      "Décidé",
    ]);
    expect(namesOf(aStory({ source: "external", filterId: null }))).toEqual(["Commandé hors de Synapse"]);
    expect(namesOf(aStory({ source: "external", filterId: asFilterId("f") }))).toEqual([
      "Commandé par votre filtre, confirmé après coup",
    ]);
    expect(namesOf(aStory({ source: "external", attemptTransactionId: 42 }))).toEqual([
      "Commandé en un clic, confirmé après coup",
    ]);
    expect(namesOf(aStory({ source: "click" }))).toContain("Votre clic");
    const bare = aStory(
      { state: "failed", failureReason: "stale", updatedAtMs: SEEN_MS + 99 },
      { attempts: [] },
    );
    expect(namesOf(bare).at(-1)).toBe("Abandonné");
    expect(namesOf({ ...bare, purchase: { ...bare.purchase, isHidden: true } }).at(-1)).toBe("Décidé");
  });

  test("distinguishes a second attempt from the first", () => {
    const again = { n: 2, startedAtMs: SEEN_MS + 900, sentAtMs: null, endedAtMs: null };
    expect(namesOf(aStory({}, { attempts: [...aStory().attempts, again] })).slice(-2)).toEqual([
      "Essai sans suite",
      "Commande ouverte (essai 2)",
    ]);
  });
});

function aMiss(reason: MissedWish["reason"]): MissedWish {
  return {
    userId: asUserId("u"),
    filterId: asFilterId("f"),
    listing: aListing(),
    reason,
    firstSeenAtMs: SEEN_MS,
    matchedAtMs: SEEN_MS + 5,
    standing: null,
    missedAtMs: SEEN_MS + 9,
  };
}

const CONTEXT = { marketUrl: "https://market.example", minPriceDays: 7, current: aListing() };

test("a suspiciously cheap listing awaits the person's confirmation while a click may still buy it", () => {
  expect(presentMissedWish(aMiss("too_good"), CONTEXT)).toMatchObject({
    code: "trop_beau",
    a_confirmer: true,
  });
  expect(presentMissedWish(aMiss("too_good"), { ...CONTEXT, current: null })).toMatchObject({
    code: "trop_beau",
    a_confirmer: false,
  });
  const dearer = { ...CONTEXT, current: aListing({ totalPriceCents: 4_190 }) };
  expect(presentMissedWish(aMiss("too_good"), dearer).product.total_item_price.amount).toBe("41.90");
  expect(presentMissedWish(aMiss("limit_day"), CONTEXT).a_confirmer).toBe(false);
});

test("a missed wish gives its reason", () => {
  const missed = presentMissedWish(aMiss("limit_day"), CONTEXT);
  expect(missed).toMatchObject({ raison: expect.stringContaining("jour") as unknown, filtre: "f" });
  expect(missed.etapes.at(-1)).toEqual({ nom: "Laissé de côté", a: SEEN_MS + 9 });
});

test("a miss by an unknown usual price tells what was seen, and what it takes", () => {
  const standing: Standing = {
    lowCents: 8_000,
    medianCents: 10_000,
    highCents: 14_000,
    rank: 99,
    sampleSize: 12,
    dayCount: 3,
    basis: "type_brand_condition",
  };
  const missOf = (known: Partial<Standing> | null) => {
    const miss = { ...aMiss("price_unsure"), standing: known === null ? null : { ...standing, ...known } };
    return presentMissedWish(miss, CONTEXT);
  };
  expect(missOf({})).toMatchObject({
    code: "prix_incertain",
    a_confirmer: false,
    raison: "Prix habituel encore mal connu : 12 annonces semblables vues, il en faut 20.",
  });
  for (const [known, end] of [
    [null, "0 annonce semblable vue, il en faut 20."],
    [{ sampleSize: 1 }, "1 annonce semblable vue, il en faut 20."],
    [{ sampleSize: 19, dayCount: 30 }, "19 annonces semblables vues, il en faut 20."],
    [{ sampleSize: 20 }, "20 annonces semblables vues sur 3 jours, il en faut 7."],
    [{ sampleSize: 31, dayCount: 1 }, "31 annonces semblables vues sur 1 jour, il en faut 7."],
  ] as const)
    expect(missOf(known).raison).toBe(`Prix habituel encore mal connu : ${end}`);
  const tooGood = { ...aMiss("too_good"), listing: aListing({ totalPriceCents: 1_200 }), standing };
  expect(presentMissedWish(tooGood, CONTEXT).raison).toBe(
    "Trop beau pour être vrai : 12\u00A0€ au lieu de 80–140 €. Rien n'a été acheté.",
  );
});

test("a miss by any other reason has no code", () => {
  for (const reason of ["limit_day", "hours", "group_full", "rules_rest", "stale", "taken"] as const)
    expect(presentMissedWish(aMiss(reason), CONTEXT).code).toBeNull();
});

describe("the summary", () => {
  const sums: PurchaseSums = {
    spending: [
      { monthKey: "2026-11", weekKey: "2026-11-16", chargedCents: 2_000, count: 1 },
      { monthKey: "2026-11", weekKey: "2026-10-26", chargedCents: 500, count: 1 },
      { monthKey: "2026-10", weekKey: "2026-10-26", chargedCents: 1_000, count: 2 },
    ],
    boughtCount: 3,
    failures: [
      { reason: "sold", count: 2 },
      { reason: null, count: 1 },
    ],
  };

  test("adds up months, weeks and everything; a week that two months share is one", () => {
    const { depense } = presentBilan({ sums, misses: [], compared: [], monthKey: "2026-11" });
    expect(depense).toEqual({
      mois: { amount: "25.00", currency_code: "EUR" },
      total: { amount: "35.00", currency_code: "EUR" },
      semaines: [
        { debut: "2026-11-16", montant: { amount: "20.00", currency_code: "EUR" }, achats: 1 },
        { debut: "2026-10-26", montant: { amount: "15.00", currency_code: "EUR" }, achats: 3 },
      ],
    });
  });

  test("counts failures and missed wishes by cause, the most frequent first", () => {
    const bilan = presentBilan({ sums, misses: [aMiss("taken")], compared: [], monthKey: "2026-11" });
    expect(bilan).toMatchObject({ reussis: 3, rates: 3, confirmes: 0, economie: null });
    expect(bilan.pertes).toEqual([
      { cause: "Vendu à un autre", nombre: 3 },
      { cause: "Cause inconnue", nombre: 1 },
    ]);
  });

  test("saves what the median lies above the price, and says so when it lies below", () => {
    const saving = (paidCents: number) =>
      presentBilan({
        sums: { spending: [], boughtCount: 0, failures: [] },
        misses: [],
        compared: [
          { paidCents, usual: { medianCents: 2_000, sampleSize: 9 } },
          { paidCents: 1, usual: null },
        ],
        monthKey: "2026-11",
      }).economie;
    expect(saving(1_500)).toEqual({
      montant: { amount: "5.00", currency_code: "EUR" },
      achats: 1,
      annonces: 9,
    });
    expect(saving(2_550)?.montant.amount).toBe("-5.50");
  });
});
