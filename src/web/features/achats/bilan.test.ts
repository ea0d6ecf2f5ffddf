import { expect, test } from "vitest";
import type { Bilan } from "#contract/achat.ts";
import { endedText, hasHistory, lossText, recentWeeks, savingText, successText } from "./bilan.tsx";
import { eur } from "#verify/testing/on-the-wire.ts";

test("a rate needs something that has ended", () => {
  expect(successText({ reussis: 0, rates: 0 })).toBe("—");
  expect(successText({ reussis: 3, rates: 1 })).toBe("75\u00A0%");
  expect(endedText({ reussis: 3, rates: 1 })).toBe("3 achats réussis, 1 raté");
});

test("what failed is told apart from what was never tried", () => {
  const pertes = [
    { cause: "Achats arrêtés", nombre: 134 },
    { cause: "Vendu à un autre", nombre: 1 },
  ];
  expect(lossText({ rates: 1, pertes })).toBe("1 achat raté, 134 non tentés");
  expect(lossText({ rates: 0, pertes })).toBe("135 achats non tentés");
  expect(lossText({ rates: 135, pertes })).toBe("135 achats ratés");
});

test("a saving says with what it is compared", () => {
  const economie = { montant: eur("12.00"), achats: 3, annonces: 42 };
  expect(savingText({ economie, confirmes: 7 })).toBe(
    "sur 3 achats comparables, au prix habituel de 42 annonces",
  );
  expect(savingText({ economie: null, confirmes: 7 })).toContain("inconnu");
  expect(savingText({ economie: null, confirmes: 0 })).toContain("premier achat");
});

test("a buyer who has not begun has nothing to be summed up", () => {
  const empty: Bilan = {
    depense: { mois: eur("0.00"), total: eur("0.00"), semaines: [] },
    reussis: 0,
    rates: 0,
    economie: null,
    confirmes: 0,
    pertes: [],
  };
  expect(hasHistory(empty)).toBe(false);
  expect(hasHistory({ ...empty, pertes: [{ cause: "Garde-fou atteint", nombre: 1 }] })).toBe(true);
});

test("twelve weeks end with this one as France counts it, and those without a purchase are there too", () => {
  // 23:30 UTC on a Sunday is Monday in Paris.
  const weeks = recentWeeks(
    [
      { debut: "2026-11-23", montant: eur("12.50"), achats: 2 },
      { debut: "2026-09-07", montant: eur("3.00"), achats: 1 },
      { debut: "2026-08-31", montant: eur("99.00"), achats: 1 },
    ],
    Date.UTC(2026, 10, 22, 23, 30),
  );
  expect(weeks).toHaveLength(12);
  expect(weeks.at(-1)).toMatchObject({ label: "23/11", euros: 12.5, purchases: 2 });
  expect(weeks.at(-2)).toMatchObject({ label: "16/11", euros: 0, purchases: 0 });
  expect(weeks[0]).toMatchObject({ label: "07/09", euros: 3 });
});
