import { expect, test } from "vitest";
import type { Filtre } from "#contract/filtre.ts";
import { asFiltreEdit } from "./commands.ts";

const filtre: Filtre = {
  _id: "f1",
  tag: "Vestes",
  active: true,
  autobuy: false,
  private: true,
  types: { ids: [1037], names: ["Manteaux et vestes"] },
  brands: { ids: [53], names: ["Nike"] },
  sizes: { ids: [], names: [] },
  status: { ids: [6], names: ["Neuf avec étiquette"] },
  color: "Gray",
  limit: 45,
  paiement: 11,
  info: "cadeau",
  mots: ["vintage"],
  exclure: [],
  max_achats: 3,
  simulation: true,
};

test("a toggle sends the whole filter, ids and names, with only its flag flipped", () => {
  expect(asFiltreEdit(filtre, { active: false })).toEqual({ ...filtre, active: false });
});
