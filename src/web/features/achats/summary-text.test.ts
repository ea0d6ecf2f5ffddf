import { expect, test } from "vitest";
import { savingText, successText } from "./summary-text.ts";

test("a rate needs something that has ended", () => {
  expect(successText({ reussis: 0, rates: 0 })).toBe("—");
  expect(successText({ reussis: 3, rates: 1 })).toBe("75\u00A0%");
});

test("a saving says of how many purchases, compared with how many listings", () => {
  const economie = { montant: { amount: "12.00", currency_code: "EUR" }, achats: 3, annonces: 42 };
  expect(savingText({ economie, confirmes: 7 })).toBe(
    "3 achats sur 7, au prix médian de 42 annonces comparables vues sur 24 h, hors livraison",
  );
  expect(savingText({ economie: null, confirmes: 7 })).toContain("Trop peu");
  expect(savingText({ economie: null, confirmes: 0 })).toContain("premier achat");
});
