import { expect, test } from "vitest";
import { withFrenchSpaces } from "./french-spaces.ts";

test("high punctuation never stands at the beginning of a line", () => {
  expect(withFrenchSpaces("Pourquoi ? Parce que ; voilà ! Fin")).toBe(
    "Pourquoi\u202F? Parce que\u202F; voilà\u202F! Fin",
  );
  expect(withFrenchSpaces("Arrêtés par « Tout arrêter » : rien")).toBe(
    "Arrêtés par «\u00A0Tout arrêter\u00A0»\u00A0: rien",
  );
  expect(withFrenchSpaces(" : la limite est atteinte")).toBe("\u00A0: la limite est atteinte");
});

test("an amount is not separated from its unit", () => {
  expect(withFrenchSpaces("À 0 €, les 10 % les moins chers")).toBe(
    "À 0\u00A0€, les 10\u00A0% les moins chers",
  );
  expect(withFrenchSpaces(" €, ou rien.")).toBe("\u00A0€, ou rien.");
});

test("what separates two pieces ends the first one, wherever the line is broken", () => {
  expect(withFrenchSpaces("Zara · M · Bon état")).toBe("Zara\u00A0· M\u00A0· Bon état");
  for (const separator of [" · ", " ·"]) expect(withFrenchSpaces(separator)).toMatch(/^\u00A0·/u);
});

test("what is no punctuation of French, and what is specified word for word, stays as it is", () => {
  for (const text of ["14:05", "?vue=publics", "a :hover", "https://a.example/ ?q", "Aller au Synapse ?"])
    expect(withFrenchSpaces(text)).toBe(text);
});
