import { expect, test } from "vitest";
import type { Sante } from "#contract/parametres.ts";
import { stateText } from "./autobuy-stop.tsx";
import { healthRowsOf } from "./health-modal.tsx";
import { eur } from "#verify/testing/on-the-wire.ts";

const NOW_MS = new Date(2026, 10, 20, 4, 20).getTime();
const LATER_MS = new Date(2026, 10, 20, 4, 29).getTime();

function aSante(changes: Partial<Sante> = {}): Sante {
  return {
    flux: { etat: "en_direct", raison: null, reprise: null },
    lectures_par_seconde: 1,
    compte: "connecte",
    adresse_complete: true,
    achats_auto: { inclus: true, filtres: 2, arret: false, bloque: null, reprise: null },
    depense: { jour: eur("12.00"), limite_jour: eur("300.00") },
    ...changes,
  };
}

const toneOf = (changes: Partial<Sante>, name: string) =>
  healthRowsOf(aSante(changes), NOW_MS).find((row) => row.name === name)?.tone;

test("when all is well nothing asks for care", () => {
  expect(healthRowsOf(aSante(), NOW_MS).map(({ tone }) => tone)).toEqual([
    "good",
    "good",
    "good",
    "good",
    "good",
  ]);
});

test("what is to be done or waited for stands out, with its reason", () => {
  expect(toneOf({ compte: "a_reconnecter" }, "Compte Vinted")).toBe("care");
  expect(toneOf({ compte: "a_reconnecter" }, "Achats automatiques")).toBe("care");
  expect(toneOf({ adresse_complete: false }, "Achats automatiques")).toBe("care");
  expect(toneOf({ flux: { etat: "en_pause", raison: "…", reprise: null } }, "Flux des annonces")).toBe(
    "care",
  );
  const auto = { inclus: true, filtres: 2, arret: true, bloque: null, reprise: null };
  expect(toneOf({ achats_auto: auto }, "Achats automatiques")).toBe("care");
  expect(toneOf({ achats_auto: { ...auto, inclus: false } }, "Achats automatiques")).toBe("rest");
  expect(
    toneOf({ depense: { jour: eur("300.00"), limite_jour: eur("300.00") } }, "Dépensé aujourd'hui"),
  ).toBe("care");
});

test("a pause says why and until when, in the reader's own time", () => {
  const fluxText = (reprise: number | null) => {
    const flux = { etat: "en_pause", raison: "Vinted ne répond pas", reprise } as const;
    return healthRowsOf(aSante({ flux }), NOW_MS)[0]?.text;
  };
  expect(fluxText(LATER_MS)).toBe("En pause : Vinted ne répond pas, reprise à 04:29");
  expect(fluxText(NOW_MS)).toBe("En pause : Vinted ne répond pas, nouvel essai en cours");
  expect(fluxText(null)).toBe("En pause : Vinted ne répond pas");
});

test("what stops everybody is said before the person's own switch, with its end", () => {
  const bloque = "En pause : Vinted demande à votre compte d'attendre";
  const achats_auto = { inclus: true, filtres: 1, arret: true, bloque, reprise: LATER_MS };
  expect(healthRowsOf(aSante({ achats_auto }), NOW_MS)[3]?.text).toBe(`${bloque}, reprise à 04:29`);
});

test("filters that cannot buy for want of an account or an address are not said to buy", () => {
  const textOf = (changes: Partial<Sante>) => healthRowsOf(aSante(changes), NOW_MS)[3]?.text;
  expect(textOf({})).toBe("2 filtres actifs achètent pour vous");
  expect(textOf({ adresse_complete: false })).toBe("En pause : adresse à compléter");
  expect(textOf({ adresse_complete: false, compte: "absent" })).toBe("En pause : compte à connecter");
  const buying = { isStopped: false, isConnected: true, hasAddress: true, buyingCount: 2, block: null };
  expect(stateText(buying)).toBe("2 filtres achètent pour vous");
  const block = "En pause : votre limite de dépenses du jour est atteinte";
  expect(stateText({ ...buying, block })).toBe(block);
  expect(stateText({ ...buying, hasAddress: false })).toBe("Achats en pause : adresse à compléter");
  expect(stateText({ ...buying, hasAddress: false, isConnected: false })).toBe(
    "Achats en pause : compte à connecter",
  );
  expect(stateText({ ...buying, hasAddress: false, buyingCount: 0 })).toBe("Aucun achat automatique");
});

test("no filter that buys by itself is said as such", () => {
  const achats_auto = { inclus: true, filtres: 0, arret: false, bloque: null, reprise: null };
  expect(healthRowsOf(aSante({ achats_auto }), NOW_MS)[3]?.text).toMatch(/^Aucun achat automatique/u);
});
