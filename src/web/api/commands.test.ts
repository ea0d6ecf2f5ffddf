import { expect, test } from "vitest";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import { asFiltreEdit } from "./commands.ts";

const filtre = aFiltre({
  private: true,
  types: { ids: [1037], names: ["Manteaux et vestes"] },
  brands: { ids: [53], names: ["Nike"] },
  status: { ids: [6], names: ["Neuf avec étiquette"] },
  color: "Gray",
  paiement: 11,
  info: "cadeau",
  mots: ["vintage"],
  max_achats: 3,
  simulation: true,
});

test("a toggle sends the whole filter, ids and names, with only its flag flipped", () => {
  expect(asFiltreEdit(filtre, { active: false })).toEqual({ ...filtre, active: false });
});
