import { describe, expect, test } from "vitest";
import { readCentre } from "./alert-centre.ts";

const channel = {
  id: "canal",
  canal: "courriel",
  nom: "Courriel",
  etat: "actif",
  evenements: { articles: true, achats: true, compte: true, resume: true },
  ici: false,
};
const sent = {
  canaux: [channel],
  offerts: { push: { cle: "cle" }, telegram: null, courriel: true },
  reglages: {
    max_heure: 30,
    calme: { actif: true, de: "23:00", a: "07:00" },
    achat_telegram: false,
    pause_jusqua: null,
  },
  boite: null,
};

describe("the alert centre", () => {
  test("is read as sent", () => {
    expect(readCentre({ alertes: sent })).toEqual(sent);
  });

  test.each([
    ["reglages", { ...sent.reglages, calme: "la nuit" }, null],
    ["offerts", "courriel", { push: { cle: "" }, telegram: null, courriel: false }],
    ["boite", 7, null],
    ["canaux", [channel, { ...channel, etat: 3 }], [channel]],
  ])("keeps the rest without a readable '%s'", (member, wrong, read) => {
    expect(readCentre({ alertes: { ...sent, [member]: wrong } })).toEqual({ ...sent, [member]: read });
  });
});
