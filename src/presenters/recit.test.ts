import { describe, expect, test } from "vitest";
import { asFilterId, asPurchaseId, asUserId } from "#domain/ids.ts";
import type { MissedWish, PurchaseStory } from "#domain/story.ts";
import { aListing } from "#testing/a-listing.ts";
import { aPurchase } from "#testing/a-purchase.ts";
import { A_MOMENT_MS } from "#testing/fake-clock.ts";
import { comparable, presentBilan } from "./bilan.ts";
import { presentMissedWish, presentRecit } from "./recit.ts";

const SEEN_MS = A_MOMENT_MS + 200;

function aStory(
  traits: Partial<PurchaseStory["purchase"]> = {},
  others: Partial<Omit<PurchaseStory, "purchase">> = {},
): PurchaseStory {
  const purchase = aPurchase({ source: "auto", decidedAtMs: SEEN_MS + 30, ...traits });
  return {
    purchase: { ...purchase, wishedAtMs: SEEN_MS + 10, monthKey: "2026-11", ...traits },
    origin: { purchaseId: purchase.id, userId: purchase.userId, firstSeenAtMs: SEEN_MS, leafIds: [221] },
    attempts: [{ n: 1, startedAtMs: SEEN_MS + 40, sentAtMs: SEEN_MS + 300, endedAtMs: SEEN_MS + 500 }],
    ...others,
  };
}

const namesOf = (story: PurchaseStory) => presentRecit(story).etapes.map(({ nom }) => nom);

describe("the story of a purchase", () => {
  test("goes from the publication to the payment, in the order of time", () => {
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

  test("says why it came to nothing and what can be done", () => {
    const story = aStory({ state: "failed", failureReason: "sold" });
    expect(namesOf(story).at(-1)).toBe("Abandonné");
    expect(presentRecit(story)).toMatchObject({
      raison: "Cet article est déjà vendu.",
      conseil: expect.stringContaining("Thunder") as unknown,
    });
  });

  test("tells what is not known as little as what did not happen", () => {
    const late = aListing({ photoTakenAtUnixS: SEEN_MS / 1_000 + 60 });
    expect(namesOf(aStory({ listing: late }, { origin: null, attempts: [] }))).toEqual([
      "Trouvé par votre filtre",
      "Décidé",
    ]);
    expect(namesOf(aStory({ source: "external" }))).toEqual(["Commandé hors de Synapse"]);
    expect(namesOf(aStory({ source: "click" }))).toContain("Votre clic");
    const bare = aStory(
      { state: "failed", failureReason: "stale", updatedAtMs: SEEN_MS + 99 },
      { attempts: [] },
    );
    expect(namesOf(bare).at(-1)).toBe("Abandonné");
    expect(namesOf({ ...bare, purchase: { ...bare.purchase, isHidden: true } }).at(-1)).toBe("Décidé");
  });

  test("tells a second attempt from the first", () => {
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
    missedAtMs: SEEN_MS + 9,
  };
}

test("a missed wish says why it was let go", () => {
  const told = presentMissedWish(aMiss("limit_day"), "https://market.example");
  expect(told).toMatchObject({ raison: expect.stringContaining("jour") as unknown, filtre: "f" });
  expect(told.etapes.at(-1)).toEqual({ nom: "Laissé de côté", a: SEEN_MS + 9 });
});

describe("the summary", () => {
  const id = (name: string) => ({ id: asPurchaseId(name) });
  const stories = [
    aStory({ ...id("a"), chargedCents: 2_000 }),
    aStory({ ...id("b"), chargedCents: 1_000, monthKey: "2026-10" }),
    aStory({ ...id("c"), mode: "simulation", chargedCents: null }),
    aStory({ ...id("d"), source: "external", chargedCents: 500 }),
    aStory({ ...id("e"), state: "cancelled" }),
    aStory({ ...id("f"), state: "failed", failureReason: "sold" }),
    aStory({ ...id("g"), state: "awaiting" }),
  ];

  test("counts what was really paid and still stands, and what ended without an order", () => {
    const compared = comparable(stories).map(() => ({ paidCents: 1_120, usual: null }));
    const told = presentBilan({ stories, misses: [aMiss("taken")], compared, monthKey: "2026-11" });
    expect(told).toMatchObject({
      depense: { mois: { amount: "25.00" }, total: { amount: "35.00" } },
      reussis: 2,
      rates: 1,
      confirmes: 2,
      economie: null,
      pertes: [{ cause: "Vendu à un autre", nombre: 2 }],
    });
  });

  test("saves what the median lies above the price, and says so when it lies below", () => {
    const saving = (paidCents: number) =>
      presentBilan({
        stories: [],
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
