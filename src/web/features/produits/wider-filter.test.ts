import { expect, test } from "vitest";
import type { FiltreApercuInput } from "#contract/filtres/filtre-input.ts";
import type { Apercu } from "#contract/filtres/filtre.ts";
import { aFiltre, eur } from "#verify/testing/on-the-wire.ts";
import { breadthOf, foundText, higherLimit, widerText } from "./wider-filter.ts";

const filtre = aFiltre({
  tag: "Jeans",
  types: { ids: [183], names: ["Jeans"] },
  brands: { ids: [10], names: ["Levi's"] },
  sizes: { ids: [4], names: ["M"] },
  limit: 40,
});

function found(articles: number, cheapest = "55.00"): Apercu {
  const prix = articles === 0 ? null : { min: eur(cheapest), max: eur("90.00") };
  return { articles, vus: 300, depuis: 0, prix };
}

/** Answers by the criteria and records them. */
function marketThat(answers: (criteria: FiltreApercuInput) => Apercu) {
  const asked: FiltreApercuInput[] = [];
  return {
    asked,
    count: async (criteria: FiltreApercuInput) => {
      asked.push(criteria);
      return answers(criteria);
    },
  };
}

test("a filter that finds listings is not called narrow", async () => {
  const market = marketThat(() => found(3));
  expect(await breadthOf(filtre, market.count)).toEqual({ kind: "finds", apercu: found(3) });
  expect(market.asked).toHaveLength(1);
});

test("types that were never read are distinguished from types without a match", async () => {
  const market = marketThat(() => ({ ...found(0), vus: 0 }));
  expect(await breadthOf(filtre, market.count)).toEqual({ kind: "unread" });
});

test("too low a limit is raised to one that finds something", async () => {
  const market = marketThat(({ limit }) => (limit >= 55 ? found(14) : found(0)));
  expect(await breadthOf(filtre, market.count)).toMatchObject({
    kind: "narrow",
    wider: { condition: "Avec une limite de 60\u00A0€", changes: { limit: 60 }, apercu: { articles: 14 } },
  });
});

test("a limit of 0 is too narrow, not unread", async () => {
  const market = marketThat(({ limit }) => (limit > 0 ? found(14, "11.20") : { ...found(0), vus: 0 }));
  expect(await breadthOf({ ...filtre, limit: 0 }, market.count)).toMatchObject({
    kind: "narrow",
    wider: { changes: { limit: 15 }, apercu: { articles: 14 } },
  });
});

test("where no price helps, the criteria are left open one after the other", async () => {
  const market = marketThat(({ brands }) => (brands.ids?.length === 0 ? found(8) : found(0)));
  const breadth = await breadthOf(filtre, market.count);
  expect(breadth).toMatchObject({
    kind: "narrow",
    wider: {
      action: "Prendre toutes les marques",
      changes: { brands: { ids: [], names: [] } },
      apercu: { articles: 8 },
    },
  });
  expect(market.asked.map(({ sizes, brands }) => [sizes.ids?.length, brands.ids?.length])).toEqual([
    [1, 1],
    [1, 1],
    [0, 1],
    [1, 0],
  ]);
});

test("where nothing helps, nothing is promised", async () => {
  const market = marketThat(() => found(0));
  expect(await breadthOf(filtre, market.count)).toMatchObject({ kind: "narrow", wider: null });
});

test("listings are what a filter would have found, since it may be younger than they are", () => {
  expect(foundText(filtre, found(14), 24 * 3_600_000)).toBe(
    "«\u00A0Jeans\u00A0» aurait trouvé 14 articles en 24\u00A0h.",
  );
});

test("no figure is given without a reserve to a filter with conditions on sellers, which are not counted", async () => {
  const nowMs = 24 * 3_600_000;
  const { vendeur } = filtre;
  const market = marketThat(({ limit }) => (limit >= 55 ? found(14) : found(0)));
  const breadth = await breadthOf(filtre, market.count);
  if (breadth.kind !== "narrow" || breadth.wider === null) throw new Error("the filter is narrow");
  const counted = "Avec une limite de 60\u00A0€ : 14 articles en 24\u00A0h.";
  expect(widerText(filtre, breadth.wider, nowMs)).toBe(counted);
  for (const asked of [{ note_min: 5 }, { avis_min: 10 }, { pays: ["FR"] }]) {
    const demanding = { ...filtre, vendeur: { ...vendeur, ...asked } };
    expect(foundText(demanding, found(14), nowMs)).toBeNull();
    expect(widerText(demanding, breadth.wider, nowMs)).toMatch(
      new RegExp(`^${counted} Les conditions sur le vendeur ne sont pas comptées`, "u"),
    );
  }
});

test("a limit grows by half, in steps of 5 EUR, and never beyond the bound", () => {
  expect(higherLimit(40, 12)).toBe(60);
  expect(higherLimit(40, 61.2)).toBe(65);
  expect(higherLimit(0, 11.2)).toBe(15);
  expect(higherLimit(100_000, 99)).toBe(100_000);
});
