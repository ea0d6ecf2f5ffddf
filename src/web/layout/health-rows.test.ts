import { expect, test } from "vitest";
import type { Sante } from "#contract/compte.ts";
import { healthRowsOf } from "./health-rows.ts";

const eur = (amount: string) => ({ amount, currency_code: "EUR" });

function aSante(changes: Partial<Sante> = {}): Sante {
  return {
    flux: { etat: "en_direct", raison: null },
    lectures_par_seconde: 1,
    compte: "connecte",
    achats_auto: { inclus: true, filtres: 2, arret: false, bloque: null },
    depense: { jour: eur("12.00"), limite_jour: eur("300.00") },
    ...changes,
  };
}

const toneOf = (changes: Partial<Sante>, name: string) =>
  healthRowsOf(aSante(changes)).find((row) => row.name === name)?.tone;

test("when all is well nothing asks for care", () => {
  expect(healthRowsOf(aSante()).map(({ tone }) => tone)).toEqual(["good", "good", "good", "good", "good"]);
});

test("what is to be done or waited for stands out, with its reason", () => {
  expect(toneOf({ compte: "a_reconnecter" }, "Session Vinted")).toBe("care");
  expect(toneOf({ flux: { etat: "en_pause", raison: "…" } }, "Flux des annonces")).toBe("care");
  const auto = { inclus: true, filtres: 2, arret: true, bloque: null };
  expect(toneOf({ achats_auto: auto }, "Achats automatiques")).toBe("care");
  expect(toneOf({ achats_auto: { ...auto, inclus: false } }, "Achats automatiques")).toBe("rest");
  expect(
    toneOf({ depense: { jour: eur("300.00"), limite_jour: eur("300.00") } }, "Dépensé aujourd'hui"),
  ).toBe("care");
});

test("what blocks everybody is said before the person's own switch", () => {
  const achats_auto = { inclus: true, filtres: 1, arret: true, bloque: "Arrêt général." };
  expect(healthRowsOf(aSante({ achats_auto }))[3]?.text).toBe("Arrêt général.");
});
